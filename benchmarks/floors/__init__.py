"""What the same work costs at the least: its SQL without HTTP, a route that does nothing, a route with one SELECT."""
