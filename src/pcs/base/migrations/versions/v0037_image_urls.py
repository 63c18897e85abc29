"""Where pictures of goods are, for a reviewer with vision; null where none is named."""

from alembic import op

revision = "0037"
down_revision = "0036"


def upgrade() -> None:
    """Add it to products, and to classifications, which keep their goods as they were submitted."""
    op.execute("ALTER TABLE products ADD COLUMN image_urls jsonb")
    op.execute("ALTER TABLE classifications ADD COLUMN product_image_urls jsonb")
