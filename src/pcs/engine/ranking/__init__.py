"""In which order, and how sure."""
