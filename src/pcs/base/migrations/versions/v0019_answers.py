"""A classification that answers to the questions of another take the place of, both ways."""

from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Add the links."""
    op.execute("ALTER TABLE classifications ADD COLUMN supersedes text REFERENCES classifications (id)")
    op.execute("ALTER TABLE classifications ADD COLUMN superseded_by text REFERENCES classifications (id)")
