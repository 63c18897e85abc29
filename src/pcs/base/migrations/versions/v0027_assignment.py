"""Which member is to review a classification."""

from alembic import op

from pcs.base.migrations.online import add_index

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    """Add it, with the index that lists of one member's read."""
    op.execute("ALTER TABLE classifications ADD COLUMN IF NOT EXISTS assigned_to text")
    add_index(
        "classifications_assigned",
        "ON classifications (organization_id, environment, assigned_to, id) WHERE assigned_to IS NOT NULL",
    )
