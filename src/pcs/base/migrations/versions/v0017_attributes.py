"""What a sender says of goods, one thing each; null where nothing was said."""

from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Add them."""
    op.execute("ALTER TABLE products ADD COLUMN attributes jsonb")
    op.execute("ALTER TABLE classifications ADD COLUMN product_attributes jsonb")
