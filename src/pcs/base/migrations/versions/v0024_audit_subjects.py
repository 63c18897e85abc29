"""The audit log by the thing that something was done with, as evidence of a classification asks for it."""

from pcs.base.migrations.online import add_index

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    """Add the index."""
    add_index("audit_entries_by_subject", "ON audit_entries (organization_id, subject, id) WHERE subject <> ''")
