"""What waits for review, the least certain first: without an index of its own all that waits is read for each page."""

from pcs.base.migrations.online import add_index

revision = "0028"
down_revision = "0027"

_DOUBTFUL = """
ON classifications (organization_id, environment, confidence, id)
    WHERE ((result ->> 'needs_review') = 'true' OR inconsistent) AND confidence IS NOT NULL
"""


def upgrade() -> None:
    """Add the index."""
    add_index("classifications_to_review_doubtful", _DOUBTFUL)
