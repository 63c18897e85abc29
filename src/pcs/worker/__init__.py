"""The door through which jobs come: a Procrastinate worker, one module a feature."""
