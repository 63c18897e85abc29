"""Steps of an analysis, reviews beside results, and the indexes that lists read."""

from alembic import op

revision = "0002"
down_revision = "0001"

_SCRIPT = """
ALTER TABLE classifications ADD COLUMN steps jsonb;
CREATE TABLE reviews (
    classification_id text PRIMARY KEY REFERENCES classifications,
    organization_id text NOT NULL REFERENCES organizations, environment text NOT NULL,
    decision text NOT NULL CHECK (decision IN ('accepted', 'corrected', 'rejected')),
    code text, note text, reviewed_by text NOT NULL, reviewed_at timestamptz NOT NULL,
    CHECK ((decision = 'corrected') = (code IS NOT NULL)));
CREATE INDEX reviews_tenant ON reviews (organization_id, environment);
CREATE INDEX classifications_to_review ON classifications (organization_id, environment, id)
    WHERE (result ->> 'needs_review') = 'true';
CREATE INDEX classifications_identifier ON classifications (organization_id, environment, product_identifier)
    WHERE product_identifier IS NOT NULL
"""


def upgrade() -> None:
    """Add what the interface reads and writes."""
    for statement in _SCRIPT.split(";\n"):
        op.execute(statement)
