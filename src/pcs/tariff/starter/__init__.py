"""The knowledge pack: what an expert knows of every heading, one data file a chapter, in our own words."""
