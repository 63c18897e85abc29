"""Which one the rules choose, and why."""
