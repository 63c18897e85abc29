"""What waits for review, the least certain first: without an index of its own all that waits is read for each page."""

from alembic import op

revision = "0028"
down_revision = "0027"

_SCRIPT = """
CREATE INDEX classifications_to_review_doubtful ON classifications (organization_id, environment, confidence, id)
    WHERE ((result ->> 'needs_review') = 'true' OR inconsistent) AND confidence IS NOT NULL
"""


def upgrade() -> None:
    """Add the index."""
    op.execute(_SCRIPT)
