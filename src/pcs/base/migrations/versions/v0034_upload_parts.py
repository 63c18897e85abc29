"""Uploads in parts, of any size, also without a member: over the API."""

from alembic import op

revision = "0034"
down_revision = "0033"


def upgrade() -> None:
    """Add them."""
    op.execute(
        "CREATE TABLE upload_parts (upload_id text NOT NULL REFERENCES uploads ON DELETE CASCADE, "
        "place integer NOT NULL, rows text NOT NULL, batch_id text REFERENCES batches, sent integer[], "
        "sent_at timestamptz, PRIMARY KEY (upload_id, place))"
    )
    op.execute("CREATE INDEX upload_parts_waiting ON upload_parts (upload_id, place) WHERE sent_at IS NULL")
    op.execute(
        "ALTER TABLE uploads ALTER COLUMN member_id DROP NOT NULL, ADD COLUMN rows integer, ADD COLUMN good integer, "
        "ADD COLUMN width integer, ADD COLUMN problems jsonb, ADD COLUMN stopped text"
    )
