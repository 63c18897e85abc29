"""What `pcs train` does: from the knowledge pack and loaded rulings to the engine's trained parts. Nothing here is
imported when a product is classified."""
