"""The audit log by the thing that something was done with, as evidence of a classification asks for it."""

from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    """Add the index."""
    op.execute(
        "CREATE INDEX audit_entries_by_subject ON audit_entries (organization_id, subject, id) WHERE subject <> ''"
    )
