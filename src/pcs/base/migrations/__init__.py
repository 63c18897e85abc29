"""The database's history, one module a revision; inside the package so that the wheel carries it."""
