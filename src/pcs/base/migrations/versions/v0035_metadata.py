"""What senders attach to products and classifications for themselves; null where nothing."""

from alembic import op

from pcs.base.migrations.online import add_index

revision = "0035"
down_revision = "0034"

_INDEXED = "USING gin (metadata jsonb_path_ops) WITH (fastupdate = off) WHERE metadata IS NOT NULL"


def upgrade() -> None:
    """Add it, with the indexes by which lists find it."""
    for table in ("products", "classifications"):
        op.execute(f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS metadata jsonb")
    for table in ("products", "classifications"):
        add_index(f"{table}_metadata", f"ON {table} {_INDEXED}")
