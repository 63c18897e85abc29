"""Lists and charts of classifications, for every entry point."""
