"""The log of API requests: what each key asked for in the last days, and what it was told."""
