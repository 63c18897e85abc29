"""Products submitted together: how far they are, and when the last is done."""
