"""What an installation remembers of itself."""

from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add it."""
    op.execute("CREATE TABLE installation (name text PRIMARY KEY, value bytea NOT NULL)")
