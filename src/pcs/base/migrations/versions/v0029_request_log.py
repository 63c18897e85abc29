"""The log of API requests."""

from alembic import op

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    """Add it, with the indexes of its lists: all of a tenant's requests, and the refused ones.

    It references nothing: a check of a reference locks its row, and nobody is to wait for a log.
    """
    op.execute(
        "CREATE TABLE logged_requests (id text PRIMARY KEY, organization_id text NOT NULL, "
        "environment text NOT NULL, key_id text NOT NULL, method text NOT NULL, "
        "path text NOT NULL, query text NOT NULL, status integer NOT NULL, took double precision NOT NULL, "
        "created_at timestamptz NOT NULL, request_body text, response_body text)"
    )
    op.execute("CREATE INDEX logged_requests_owned ON logged_requests (organization_id, environment, id)")
    op.execute(
        "CREATE INDEX logged_requests_refused ON logged_requests (organization_id, environment, id) WHERE status >= 400"
    )
