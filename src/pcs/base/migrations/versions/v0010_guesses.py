"""Guesses at passwords, counted before they are tried. Unlogged: a crash may forget them.

`sign_in_failures` stays for the version that counted afterwards, while an upgrade is rolled out."""

from alembic import op

revision = "0010"
down_revision = "0009"

_TABLE = """
CREATE UNLOGGED TABLE password_guesses (
    bucket text PRIMARY KEY, spare integer NOT NULL, began_at timestamptz NOT NULL, last_at timestamptz NOT NULL)
"""


def upgrade() -> None:
    """Add it."""
    op.execute(_TABLE)
