"""What a form leaves, sealed, for the page after it to show once. Unlogged: a crash may forget it, and nothing else."""

from alembic import op

revision = "0009"
down_revision = "0008"

_TABLE = """
CREATE UNLOGGED TABLE shown_once (
    session_id text NOT NULL REFERENCES sessions ON DELETE CASCADE, page text NOT NULL, sealed bytea NOT NULL,
    made_at timestamptz NOT NULL, PRIMARY KEY (session_id, page))
"""


def upgrade() -> None:
    """Add it."""
    op.execute(_TABLE)
