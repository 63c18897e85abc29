"""The first tables: organizations, keys, credits, products, classifications, idempotency, webhooks."""

from alembic import op

revision = "0001"
down_revision = None

_ORGANIZATIONS = """
CREATE TABLE organizations (
    id text PRIMARY KEY, name text NOT NULL, credit_limit integer, created_at timestamptz NOT NULL);
CREATE TABLE members (
    id text PRIMARY KEY, organization_id text NOT NULL REFERENCES organizations,
    email text NOT NULL, name text NOT NULL,
    role text NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')), password_hash text NOT NULL,
    created_at timestamptz NOT NULL, disabled_at timestamptz);
CREATE UNIQUE INDEX members_email ON members (lower(email));
CREATE INDEX members_organization ON members (organization_id);
CREATE TABLE api_keys (
    id text PRIMARY KEY, organization_id text NOT NULL REFERENCES organizations,
    environment text NOT NULL CHECK (environment IN ('live', 'test')), name text NOT NULL, digest bytea NOT NULL UNIQUE,
    last_four text NOT NULL, scopes text[] NOT NULL, rate_limit integer, created_at timestamptz NOT NULL,
    expires_at timestamptz, revoked_at timestamptz, last_used_at timestamptz);
CREATE INDEX api_keys_organization ON api_keys (organization_id, environment);
CREATE UNLOGGED TABLE rate_windows (
    bucket text PRIMARY KEY, started_at timestamptz NOT NULL, used integer NOT NULL);
"""

_PRODUCTS = """
CREATE TABLE products (
    id text PRIMARY KEY, organization_id text NOT NULL REFERENCES organizations, environment text NOT NULL,
    name text NOT NULL, description text, identifier text, country_of_origin text, created_at timestamptz NOT NULL);
CREATE INDEX products_tenant ON products (organization_id, environment, id);
CREATE INDEX products_identifier ON products (organization_id, environment, identifier) WHERE identifier IS NOT NULL;
"""

_CLASSIFICATIONS = """
CREATE TABLE batches (
    id text PRIMARY KEY, organization_id text NOT NULL REFERENCES organizations, environment text NOT NULL,
    webhook_url text, total integer NOT NULL, unfinished integer NOT NULL CHECK (unfinished >= 0),
    created_at timestamptz NOT NULL, completed_at timestamptz);
CREATE INDEX batches_tenant ON batches (organization_id, environment, id);
CREATE TABLE classifications (
    id text PRIMARY KEY, organization_id text NOT NULL REFERENCES organizations, environment text NOT NULL,
    product_id text NOT NULL REFERENCES products, batch_id text REFERENCES batches, schedule text NOT NULL,
    status text NOT NULL CHECK (status IN ('pending', 'processing', 'completed', 'failed')),
    product_name text NOT NULL, product_description text, product_identifier text, product_country_of_origin text,
    webhook_url text, attempt integer NOT NULL DEFAULT 0, job_id bigint,
    created_at timestamptz NOT NULL, started_at timestamptz, completed_at timestamptz, processing_time_ms integer,
    result jsonb, error_code text, error_message text,
    CHECK ((status = 'completed') = (result IS NOT NULL)), CHECK ((status = 'failed') = (error_code IS NOT NULL)));
CREATE INDEX classifications_tenant ON classifications (organization_id, environment, id);
CREATE INDEX classifications_product ON classifications (product_id);
CREATE INDEX classifications_batch ON classifications (batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX classifications_open ON classifications (organization_id, environment)
    WHERE status IN ('pending', 'processing');
CREATE INDEX classifications_done ON classifications (completed_at DESC) WHERE status = 'completed';
CREATE TABLE credit_entries (
    classification_id text PRIMARY KEY REFERENCES classifications,
    organization_id text NOT NULL REFERENCES organizations, environment text NOT NULL,
    credits integer NOT NULL, created_at timestamptz NOT NULL);
CREATE INDEX credit_entries_organization ON credit_entries (organization_id, environment, created_at);
"""

_IDEMPOTENCY = """
CREATE TABLE kept_answers (
    organization_id text NOT NULL REFERENCES organizations, environment text NOT NULL, method text NOT NULL,
    path text NOT NULL, key text NOT NULL, fingerprint bytea NOT NULL, status integer NOT NULL, body bytea NOT NULL,
    created_at timestamptz NOT NULL, PRIMARY KEY (organization_id, environment, method, path, key));
CREATE INDEX kept_answers_age ON kept_answers (created_at);
"""

_WEBHOOKS = """
CREATE TABLE webhook_endpoints (
    organization_id text NOT NULL REFERENCES organizations, environment text NOT NULL, url text NOT NULL,
    secret bytea, previous_secret bytea, previous_until timestamptz,
    event_types text[] NOT NULL, enabled boolean NOT NULL,
    created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL, PRIMARY KEY (organization_id, environment));
CREATE TABLE events (
    id text PRIMARY KEY, organization_id text NOT NULL REFERENCES organizations, environment text NOT NULL,
    type text NOT NULL, subject_id text NOT NULL, body bytea NOT NULL, created_at timestamptz NOT NULL);
CREATE UNIQUE INDEX events_once ON events (subject_id, type) WHERE type <> 'webhook.test';
CREATE TABLE deliveries (
    id text PRIMARY KEY, organization_id text NOT NULL REFERENCES organizations, environment text NOT NULL,
    event_id text NOT NULL REFERENCES events, url text NOT NULL,
    status text NOT NULL CHECK (status IN ('pending', 'sending', 'delivered', 'failed')),
    claim integer NOT NULL DEFAULT 0, failures integer NOT NULL DEFAULT 0, job_id bigint,
    next_attempt_at timestamptz, created_at timestamptz NOT NULL, finished_at timestamptz, UNIQUE (event_id, url));
CREATE INDEX deliveries_tenant ON deliveries (organization_id, environment, id);
CREATE INDEX deliveries_open ON deliveries (created_at) WHERE status IN ('pending', 'sending');
CREATE TABLE delivery_attempts (
    delivery_id text NOT NULL REFERENCES deliveries, claim integer NOT NULL, started_at timestamptz NOT NULL,
    duration_ms integer NOT NULL, response_status integer, response_body text, error text,
    PRIMARY KEY (delivery_id, claim));
"""


def upgrade() -> None:
    """Create everything."""
    for script in (_ORGANIZATIONS, _PRODUCTS, _CLASSIFICATIONS, _IDEMPOTENCY, _WEBHOOKS):
        for statement in filter(str.strip, script.split(";\n")):
            op.execute(statement)
