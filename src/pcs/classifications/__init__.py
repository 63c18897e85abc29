"""A customer's request to classify a product under a schedule, and the four states it goes through."""
