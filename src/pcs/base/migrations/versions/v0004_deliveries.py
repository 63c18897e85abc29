"""Lanes of deliveries, whom a delivery is for, and the ages by which history is forgotten."""

from alembic import op

revision = "0004"
down_revision = "0003"

# Only additions: a version that does not know them goes on reading and writing deliveries.
_SCRIPT = """
ALTER TABLE deliveries ADD COLUMN for_endpoint boolean NOT NULL DEFAULT false;
CREATE INDEX deliveries_sending ON deliveries
    (organization_id, environment, lower(substring(url from '^[^:]+://[^/?#]+'))) WHERE status = 'sending';
CREATE INDEX deliveries_parked ON deliveries
    (organization_id, environment, lower(substring(url from '^[^:]+://[^/?#]+')), id)
    WHERE status = 'pending' AND job_id IS NULL;
CREATE INDEX deliveries_waiting ON deliveries (organization_id, environment) WHERE status IN ('pending', 'sending');
CREATE INDEX deliveries_finished ON deliveries (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX events_age ON events (created_at)
"""


def upgrade() -> None:
    """Add them."""
    for statement in _SCRIPT.split(";\n"):
        op.execute(statement)
