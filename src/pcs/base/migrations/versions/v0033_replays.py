"""Deliveries that an endpoint was too disabled to get, and replays of those that it did not get.

A skipped delivery is `failed` in the eyes of the version before, which knows no other end without a 2xx."""

from alembic import op

from pcs.base.migrations.online import add_index

revision = "0033"
down_revision = "0032"

_SCRIPT = """
ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS skipped boolean NOT NULL DEFAULT false;
CREATE TABLE IF NOT EXISTS webhook_replays (
    id text PRIMARY KEY, organization_id text NOT NULL REFERENCES organizations, environment text NOT NULL,
    endpoint_id text NOT NULL, statuses text[] NOT NULL, since timestamptz, after text NOT NULL, until text NOT NULL,
    total integer NOT NULL, queued integer NOT NULL, created_at timestamptz NOT NULL, finished_at timestamptz);
CREATE INDEX IF NOT EXISTS webhook_replays_endpoint
    ON webhook_replays (organization_id, environment, endpoint_id, id);
CREATE UNIQUE INDEX IF NOT EXISTS webhook_replays_under_way
    ON webhook_replays (organization_id, environment, endpoint_id) WHERE finished_at IS NULL
"""


def upgrade() -> None:
    """Add them."""
    for statement in _SCRIPT.split(";\n"):
        op.execute(statement)
    add_index("deliveries_undelivered", "ON deliveries (organization_id, environment, id) WHERE status = 'failed'")
