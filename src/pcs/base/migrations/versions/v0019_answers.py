"""A classification that answers to the questions of another take the place of, both ways."""

from alembic import op

from pcs.base.migrations.online import add_constraint

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Add the links."""
    for column in ("supersedes", "superseded_by"):
        op.execute(f"ALTER TABLE classifications ADD COLUMN IF NOT EXISTS {column} text")
    for column in ("supersedes", "superseded_by"):
        add_constraint(
            "classifications",
            f"classifications_{column}_fkey",
            f"FOREIGN KEY ({column}) REFERENCES classifications (id)",
        )
