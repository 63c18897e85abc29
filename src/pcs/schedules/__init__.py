"""Which revision of each schedule is stored, and which one answers."""
