"""The codes that goods are filed under today, how each stands beside the one found, and which batches are audits."""

from alembic import op

from pcs.base.migrations.online import add_index

revision = "0015"
down_revision = "0014"

_STATEMENTS = (
    "ALTER TABLE products ADD COLUMN IF NOT EXISTS declared_codes jsonb",
    "ALTER TABLE classifications ADD COLUMN IF NOT EXISTS product_declared_codes jsonb",
    "ALTER TABLE classifications ADD COLUMN IF NOT EXISTS filed jsonb",
    "ALTER TABLE batches ADD COLUMN IF NOT EXISTS is_audit boolean NOT NULL DEFAULT false",
)
_BY_PRIORITY = "(organization_id, environment, ((filed ->> 'priority')::double precision) DESC, id)"


def upgrade() -> None:
    """Add them, with what lists of them are read by."""
    for statement in _STATEMENTS:
        op.execute(statement)
    add_index("classifications_filed", f"ON classifications {_BY_PRIORITY} WHERE filed IS NOT NULL")
    add_index("batches_audits", "ON batches (organization_id, environment, id) WHERE is_audit")
