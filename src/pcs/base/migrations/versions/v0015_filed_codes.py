"""The codes that goods are filed under today, how each stands beside the one found, and which batches are audits."""

from alembic import op

revision = "0015"
down_revision = "0014"

_STATEMENTS = (
    "ALTER TABLE products ADD COLUMN declared_codes jsonb",
    "ALTER TABLE classifications ADD COLUMN product_declared_codes jsonb, ADD COLUMN filed jsonb",
    "ALTER TABLE batches ADD COLUMN is_audit boolean NOT NULL DEFAULT false",
    """CREATE INDEX classifications_filed ON classifications
        (organization_id, environment, ((filed ->> 'priority')::double precision) DESC, id)
        WHERE filed IS NOT NULL""",
    "CREATE INDEX batches_audits ON batches (organization_id, environment, id) WHERE is_audit",
)


def upgrade() -> None:
    """Add them, with what lists of them are read by."""
    for statement in _STATEMENTS:
        op.execute(statement)
