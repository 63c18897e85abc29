"""Where a review stands, who looked second, and whether an organization wants a second look at all."""

from alembic import op

revision = "0026"
down_revision = "0025"

_SCRIPT = """
ALTER TABLE organizations ADD COLUMN four_eyes boolean NOT NULL DEFAULT false;
ALTER TABLE reviews ADD COLUMN stage text NOT NULL DEFAULT 'decided'
    CHECK (stage IN ('decided', 'proposed', 'sent_back')),
    ADD COLUMN second_by text, ADD COLUMN second_at timestamptz, ADD COLUMN second_note text;
CREATE INDEX reviews_undecided ON reviews (organization_id, environment, stage, classification_id)
    WHERE stage <> 'decided'
"""


def upgrade() -> None:
    """Every review that there is has decided."""
    for statement in _SCRIPT.split(";\n"):
        op.execute(statement)
