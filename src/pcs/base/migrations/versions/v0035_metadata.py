"""What senders attach to products and classifications for themselves; null where nothing."""

from alembic import op

revision = "0035"
down_revision = "0034"

_SCRIPT = """
ALTER TABLE products ADD COLUMN metadata jsonb;
ALTER TABLE classifications ADD COLUMN metadata jsonb;
CREATE INDEX products_metadata ON products USING gin (metadata jsonb_path_ops)
    WITH (fastupdate = off) WHERE metadata IS NOT NULL;
CREATE INDEX classifications_metadata ON classifications USING gin (metadata jsonb_path_ops)
    WITH (fastupdate = off) WHERE metadata IS NOT NULL
"""


def upgrade() -> None:
    """Add it, with the indexes by which lists find it."""
    for statement in _SCRIPT.split(";\n"):
        op.execute(statement)
