"""Steps of a migration that others read and write beside: indexes, checks of what is stored, rows in batches.

The trap: each of them ends the migration's transaction, and one that fails has the migration begin again; so what a
migration does before and after them must be right a second time too (`IF NOT EXISTS`)."""

from __future__ import annotations

from alembic import op
from sqlalchemy import text

_BROKEN = text("SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(:name) AND NOT indisvalid")
_AT_ONCE = 1_000  # who writes one of these rows waits for all of them


def add_index(name: str, definition: str, *, unique: bool = False) -> None:
    """Build an index `ON ...`, anew where an earlier try broke off."""
    kind = "UNIQUE INDEX" if unique else "INDEX"
    if op.get_bind().execute(_BROKEN, {"name": name}).first():
        drop_index(name)
    _alone(f"CREATE {kind} CONCURRENTLY IF NOT EXISTS {name} {definition}")


def drop_index(name: str) -> None:
    """Drop an index, if it is there."""
    _alone(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")


def add_constraint(table: str, name: str, definition: str) -> None:
    """Hold new rows to a constraint at once, then look whether those that are stored keep it."""
    op.execute(f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {name}, ADD CONSTRAINT {name} {definition} NOT VALID")
    _alone(f"ALTER TABLE {table} VALIDATE CONSTRAINT {name}")


def update_in_batches(table: str, statement: str) -> None:
    """Run an UPDATE for all rows of a table, a thousand ids at a time: those after `:after`, up to `:last`."""
    ends = text(f"SELECT max(id) FROM (SELECT id FROM {table} WHERE id > :after ORDER BY id LIMIT {_AT_ONCE}) batch")  # noqa: S608 (names of ours)
    after = ""
    with op.get_context().autocommit_block():
        while last := op.get_bind().execute(ends, {"after": after}).scalar():
            op.get_bind().execute(text(statement), {"after": after, "last": last})
            after = last


def _alone(statement: str) -> None:
    """Run a statement that is no part of a transaction."""
    with op.get_context().autocommit_block():
        op.execute(statement)
