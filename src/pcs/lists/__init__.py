"""Lists and charts of classifications, for every door."""
