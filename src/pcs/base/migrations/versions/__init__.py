"""The database's history, one module a revision; inside the package so that the wheel carries it.

`down_revision` is the order; a number is only a name. 0007 follows 0005: no commit of this repository holds a 0006.
What a later revision no longer needs stays for the version before it (`tests/base/test_migrations.py`);
`tests/base/test_schema.py` holds the tables in code against what these make, and names what has been left behind."""
