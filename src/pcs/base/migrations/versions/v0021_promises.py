"""Promises, the thresholds that reviews bear of them, and the mark of answers that are asked about by chance."""

from alembic import op

from pcs.base.migrations.online import add_index

revision = "0021"
down_revision = "0020"

_SCRIPT = """
CREATE TABLE IF NOT EXISTS promises (
    organization_id text NOT NULL REFERENCES organizations, environment text NOT NULL,
    share_right double precision NOT NULL CHECK (share_right BETWEEN 0.5 AND 0.99), digits smallint NOT NULL,
    asked_share double precision NOT NULL CHECK (asked_share BETWEEN 0 AND 1), set_at timestamptz NOT NULL,
    PRIMARY KEY (organization_id, environment));
CREATE TABLE IF NOT EXISTS promise_thresholds (
    organization_id text NOT NULL REFERENCES organizations, environment text NOT NULL, schedule text NOT NULL,
    threshold double precision, share double precision NOT NULL, reviewed integer NOT NULL, missing integer,
    evidence bytea NOT NULL, computed_at timestamptz NOT NULL,
    broken_at timestamptz, broken_threshold double precision, broken_reviewed integer, broken_right integer,
    PRIMARY KEY (organization_id, environment, schedule));
ALTER TABLE classifications ADD COLUMN IF NOT EXISTS asked_by_chance boolean NOT NULL DEFAULT false
"""


def upgrade() -> None:
    """Add them."""
    for statement in _SCRIPT.split(";\n"):
        op.execute(statement)
    add_index(
        "classifications_asked_by_chance",
        "ON classifications (organization_id, environment, schedule, id) WHERE asked_by_chance",
    )
