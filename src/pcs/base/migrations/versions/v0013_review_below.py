"""The confidence below which an organization's answers are marked for review; null follows the service's own."""

from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add it."""
    op.execute(
        "ALTER TABLE organizations ADD COLUMN review_below double precision CHECK (review_below BETWEEN 0 AND 1)"
    )
