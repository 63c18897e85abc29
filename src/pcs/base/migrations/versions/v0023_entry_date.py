"""The day of customs entry of goods, whose law answers; null where it is the day of the analysis."""

from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Add it."""
    op.execute("ALTER TABLE products ADD COLUMN entry_date date")
    op.execute("ALTER TABLE classifications ADD COLUMN product_entry_date date")
