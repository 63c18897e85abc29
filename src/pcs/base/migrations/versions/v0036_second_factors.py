"""Second factors of members with their recovery codes, and whether an organization asks for one."""

from alembic import op

revision = "0036"
down_revision = "0035"

_SCRIPT = """
ALTER TABLE organizations ADD COLUMN second_factor boolean NOT NULL DEFAULT false;
CREATE TABLE second_factors (
    member_id text PRIMARY KEY REFERENCES members, sealed bytea NOT NULL, last_step integer NOT NULL,
    created_at timestamptz NOT NULL);
CREATE TABLE recovery_codes (
    member_id text NOT NULL REFERENCES second_factors ON DELETE CASCADE, digest bytea NOT NULL,
    PRIMARY KEY (member_id, digest))
"""


def upgrade() -> None:
    """Add them."""
    for statement in _SCRIPT.split(";\n"):
        op.execute(statement)
