"""The database's history, one module a revision; inside the package so that the wheel carries it.

`down_revision` is the order; a number is only a name. There is no 0006: it was set aside for work that landed without a
migration, and a number is not given twice. What a later revision no longer needs stays for the version before it
(`tests/base/test_migrations.py`); `tests/base/test_schema.py` holds the tables in code against what these make, and
names what has been left behind."""
