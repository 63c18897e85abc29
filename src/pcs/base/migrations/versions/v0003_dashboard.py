"""Sessions, one-time links, the audit log, uploads, and what the dashboard's lists and charts read."""

from alembic import op

revision = "0003"
down_revision = "0002"

_PEOPLE = """
CREATE TABLE sessions (
    id text PRIMARY KEY, digest bytea NOT NULL UNIQUE, member_id text NOT NULL REFERENCES members,
    created_at timestamptz NOT NULL, last_seen_at timestamptz NOT NULL, confirmed_at timestamptz NOT NULL,
    address text NOT NULL, agent text NOT NULL);
CREATE INDEX sessions_member ON sessions (member_id);
CREATE TABLE invitations (
    id text PRIMARY KEY, digest bytea NOT NULL UNIQUE, organization_id text NOT NULL REFERENCES organizations,
    purpose text NOT NULL CHECK (purpose IN ('first_administrator', 'invitation', 'password_reset')),
    email text, role text NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
    member_id text REFERENCES members, created_at timestamptz NOT NULL, expires_at timestamptz NOT NULL,
    used_at timestamptz);
CREATE INDEX invitations_organization ON invitations (organization_id, id);
CREATE TABLE audit_entries (
    id text PRIMARY KEY, organization_id text NOT NULL REFERENCES organizations, member_id text, actor text NOT NULL,
    action text NOT NULL, subject text NOT NULL, detail text NOT NULL, address text NOT NULL,
    created_at timestamptz NOT NULL);
CREATE INDEX audit_entries_organization ON audit_entries (organization_id, id);
CREATE UNLOGGED TABLE sign_in_failures (
    bucket text PRIMARY KEY, started_at timestamptz NOT NULL, failures integer NOT NULL)
"""

# `search` holds words and numbers as they are, so that each typed word finds what begins with it.
_LISTS = """
CREATE TABLE uploads (
    id text PRIMARY KEY, organization_id text NOT NULL REFERENCES organizations, environment text NOT NULL,
    member_id text NOT NULL REFERENCES members, file_name text NOT NULL, content text NOT NULL,
    schedules text[] NOT NULL, batch_ids text[] NOT NULL DEFAULT '{}', created_at timestamptz NOT NULL,
    submitted_at timestamptz);
CREATE INDEX uploads_tenant ON uploads (organization_id, environment, id);
ALTER TABLE classifications
    ADD COLUMN code text GENERATED ALWAYS AS (coalesce(result ->> 'hts_code', result ->> 'cn_code')) STORED,
    ADD COLUMN confidence real GENERATED ALWAYS AS ((result ->> 'confidence')::real) STORED,
    ADD COLUMN search tsvector GENERATED ALWAYS AS (to_tsvector('simple', translate(
        product_name || ' ' || coalesce(product_identifier, '') || ' '
            || coalesce(result ->> 'hts_code', result ->> 'cn_code', ''), '-_./#:,()+&*''"', '              '
    ))) STORED;
CREATE INDEX classifications_search ON classifications USING gin (search) WITH (fastupdate = off);
CREATE INDEX classifications_doubtful ON classifications (organization_id, environment, confidence, id)
    WHERE confidence IS NOT NULL;
CREATE INDEX deliveries_failed ON deliveries (organization_id, environment, finished_at) WHERE status = 'failed';
CREATE INDEX classifications_by_time ON classifications (organization_id, environment, created_at)
    INCLUDE (status, schedule, processing_time_ms)
"""


def upgrade() -> None:
    """Add them."""
    for script in (_PEOPLE, _LISTS):
        for statement in script.split(";\n"):
            op.execute(statement)
