"""The language that the sender of a product names; null where it is found."""

from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add it."""
    op.execute("ALTER TABLE products ADD COLUMN language text")
    op.execute("ALTER TABLE classifications ADD COLUMN product_language text")
