"""Comparisons of a promoted revision with the one before it, and what each means for whose completed answers."""

from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Add them."""
    op.execute(
        "CREATE TABLE schedule_comparisons (id text PRIMARY KEY, schedule text NOT NULL, before text, "
        "after text NOT NULL, noticed_at timestamptz NOT NULL, finished_at timestamptz)"
    )
    op.execute("CREATE INDEX schedule_comparisons_latest ON schedule_comparisons (schedule, id)")
    op.execute(
        "CREATE TABLE outdated_answers (comparison_id text NOT NULL REFERENCES schedule_comparisons, "
        "organization_id text NOT NULL REFERENCES organizations, environment text NOT NULL, counts jsonb NOT NULL, "
        "created_at timestamptz NOT NULL, settled_at timestamptz, "
        "PRIMARY KEY (organization_id, environment, comparison_id))"
    )
