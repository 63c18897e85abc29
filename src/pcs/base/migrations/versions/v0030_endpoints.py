"""Several endpoints of an organization, beside the default one, which stays where it is.

The version before knows only that one: it would sign with its secret what is meant for another endpoint. So the trigger
lets a delivery to another endpoint be claimed only by a version that says so (`known_claim`); its job ends, and the
sweep queues it again until a worker of this version has it."""

from alembic import op

from pcs.base.migrations.online import add_index

revision = "0030"
down_revision = "0029"

_SCRIPT = """
ALTER TABLE webhook_endpoints ADD COLUMN IF NOT EXISTS description text NOT NULL DEFAULT '';
CREATE TABLE IF NOT EXISTS added_endpoints (
    id text PRIMARY KEY, organization_id text NOT NULL REFERENCES organizations, environment text NOT NULL,
    url text NOT NULL, description text NOT NULL, secret bytea, previous_secret bytea, previous_until timestamptz,
    event_types text[] NOT NULL, enabled boolean NOT NULL,
    created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL, UNIQUE (organization_id, environment, url));
ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS endpoint_id text, ADD COLUMN IF NOT EXISTS known_claim integer;
CREATE OR REPLACE FUNCTION leave_unclaimed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE OR REPLACE TRIGGER deliveries_to_others BEFORE UPDATE ON deliveries FOR EACH ROW
    WHEN (NEW.endpoint_id IS NOT NULL AND NEW.claim > OLD.claim AND NEW.known_claim IS DISTINCT FROM NEW.claim)
    EXECUTE FUNCTION leave_unclaimed()
"""
_PARKED = """
ON deliveries
    (organization_id, environment, coalesce(endpoint_id, ''), lower(substring(url from '^[^:]+://[^/?#]+')), id)
    WHERE status = 'pending' AND job_id IS NULL
"""


def upgrade() -> None:
    """Add them; each delivery that there is goes to the default endpoint or to a request's own URL, as before."""
    for statement in _SCRIPT.split(";\n"):
        op.execute(statement)
    add_index("deliveries_parked_apart", _PARKED)
