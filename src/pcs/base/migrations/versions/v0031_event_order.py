"""The order in which events came to be seen, for whoever follows them."""

from alembic import op

from pcs.base.migrations.online import add_index

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    """Each event names the transaction that stored it, and an index has a tenant's in that order.

    Those from before have transaction 0, so that nothing is rewritten; among themselves their ids are the order.
    """
    op.execute("ALTER TABLE events ADD COLUMN IF NOT EXISTS transaction_id bigint NOT NULL DEFAULT 0")
    op.execute(
        "ALTER TABLE events ALTER COLUMN transaction_id SET DEFAULT CAST(CAST(pg_current_xact_id() AS text) AS bigint)"
    )
    add_index("events_seen", "ON events (organization_id, environment, transaction_id, id)")
