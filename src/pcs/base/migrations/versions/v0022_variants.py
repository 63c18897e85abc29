"""What variants of goods have in common, and whether their codes are inconsistent: lists and the queue read it."""

from alembic import op

from pcs.base.migrations.online import add_index, drop_index

revision = "0022"
down_revision = "0021"

_COLUMNS = """
ALTER TABLE classifications ADD COLUMN IF NOT EXISTS variant_key bytea,
    ADD COLUMN IF NOT EXISTS inconsistent boolean NOT NULL DEFAULT false
"""
_VARIANTS = """
ON classifications (variant_key, coalesce(final_code, tariff_line), id)
    WHERE variant_key IS NOT NULL AND superseded_by IS NULL
"""
_TO_REVIEW = """
ON classifications (organization_id, environment, id) WHERE (result ->> 'needs_review') = 'true' OR inconsistent
"""


def upgrade() -> None:
    """Add both, and let the queue's index know of the second."""
    op.execute(_COLUMNS)
    add_index("classifications_variants", _VARIANTS)
    add_index(
        "classifications_inconsistent", "ON classifications (organization_id, environment, id) WHERE inconsistent"
    )
    add_index("classifications_to_review_or_inconsistent", _TO_REVIEW)
    drop_index("classifications_to_review")
