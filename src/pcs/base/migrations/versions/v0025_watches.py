"""When a publisher was last looked at for a new revision."""

from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    """Add it."""
    op.execute("CREATE TABLE schedule_watches (schedule text PRIMARY KEY, looked_at timestamptz NOT NULL)")
