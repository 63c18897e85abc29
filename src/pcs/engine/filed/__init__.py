"""The code that goods are filed under today, compared with the one that the engine finds."""
