"""Where a review stands, who looked second, and whether an organization wants a second look at all."""

from alembic import op

from pcs.base.migrations.online import add_constraint, add_index

revision = "0026"
down_revision = "0025"

_SCRIPT = """
ALTER TABLE organizations ADD COLUMN IF NOT EXISTS four_eyes boolean NOT NULL DEFAULT false;
ALTER TABLE reviews ADD COLUMN IF NOT EXISTS stage text NOT NULL DEFAULT 'decided',
    ADD COLUMN IF NOT EXISTS second_by text, ADD COLUMN IF NOT EXISTS second_at timestamptz,
    ADD COLUMN IF NOT EXISTS second_note text
"""


def upgrade() -> None:
    """Every review that there is has decided."""
    for statement in _SCRIPT.split(";\n"):
        op.execute(statement)
    add_constraint("reviews", "reviews_stage_check", "CHECK (stage IN ('decided', 'proposed', 'sent_back'))")
    add_index(
        "reviews_undecided",
        "ON reviews (organization_id, environment, stage, classification_id) WHERE stage <> 'decided'",
    )
