"""A Procrastinate worker, through which jobs come, one module a feature."""
