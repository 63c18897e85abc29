"""Which columns an uploaded file was read with and which of its rows were sent, for results with its own columns."""

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add them."""
    op.execute("ALTER TABLE uploads ADD COLUMN columns jsonb, ADD COLUMN sent integer[]")
