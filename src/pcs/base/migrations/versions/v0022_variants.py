"""What variants of goods have in common, and whether their codes are inconsistent: lists and the queue read it."""

from alembic import op

revision = "0022"
down_revision = "0021"

_SCRIPT = """
ALTER TABLE classifications ADD COLUMN variant_key bytea, ADD COLUMN inconsistent boolean NOT NULL DEFAULT false;
CREATE INDEX classifications_variants ON classifications (variant_key, coalesce(final_code, tariff_line), id)
    WHERE variant_key IS NOT NULL AND superseded_by IS NULL;
CREATE INDEX classifications_inconsistent ON classifications (organization_id, environment, id) WHERE inconsistent;
DROP INDEX classifications_to_review;
CREATE INDEX classifications_to_review ON classifications (organization_id, environment, id)
    WHERE (result ->> 'needs_review') = 'true' OR inconsistent
"""


def upgrade() -> None:
    """Add both, and let the queue's index know of the second."""
    for statement in _SCRIPT.split(";\n"):
        op.execute(statement)
