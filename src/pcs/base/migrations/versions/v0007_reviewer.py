"""What a reviewing model replied and spent."""

from alembic import op

revision = "0007"
down_revision = "0005"

_TABLES = """
CREATE TABLE reviewer_replies (
    classification_id text NOT NULL REFERENCES classifications, digest text NOT NULL,
    organization_id text NOT NULL REFERENCES organizations, environment text NOT NULL,
    reply text NOT NULL, created_at timestamptz NOT NULL, PRIMARY KEY (classification_id, digest));
CREATE INDEX reviewer_replies_age ON reviewer_replies (created_at);
CREATE TABLE reviewer_days (
    organization_id text NOT NULL REFERENCES organizations, environment text NOT NULL, day date NOT NULL,
    requests bigint NOT NULL DEFAULT 0, input_tokens bigint NOT NULL DEFAULT 0,
    output_tokens bigint NOT NULL DEFAULT 0, cost numeric NOT NULL DEFAULT 0,
    confirmed bigint NOT NULL DEFAULT 0, changed bigint NOT NULL DEFAULT 0, stood bigint NOT NULL DEFAULT 0,
    dropped bigint NOT NULL DEFAULT 0, PRIMARY KEY (organization_id, environment, day));
CREATE INDEX reviewer_days_day ON reviewer_days (day);
ALTER TABLE classifications ADD COLUMN reviewer jsonb
"""


def upgrade() -> None:
    """Add them."""
    for statement in _TABLES.split(";\n"):
        op.execute(statement)
