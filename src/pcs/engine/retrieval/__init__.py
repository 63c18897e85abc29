"""Which headings and lines to look at."""
