"""What organizations have decided about goods, and the words by which like goods find it.

`decision_terms` has no organization: a term's number is made of it, the environment and the schedule, and what is found
is read from `decisions`, whose rows say whose they are. So is `text_key`, whose index has nothing before it: of several
that begin with the organization the database may take one that reads all of its rows."""

from alembic import op

revision = "0020"
down_revision = "0019"

_SCRIPT = """
CREATE TABLE decisions (
    id text NOT NULL, number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    organization_id text NOT NULL REFERENCES organizations, environment text NOT NULL, schedule text NOT NULL,
    code text NOT NULL, words text, revision text NOT NULL,
    identifier text, name text NOT NULL, description text, text_key bytea NOT NULL, goods_key bytea NOT NULL,
    source text NOT NULL, decided_by text NOT NULL, decided_at timestamptz NOT NULL, classification_id text,
    contradicted boolean NOT NULL DEFAULT false,
    PRIMARY KEY (organization_id, environment, id),
    UNIQUE (organization_id, environment, schedule, goods_key));
CREATE INDEX decisions_text ON decisions (text_key);
CREATE INDEX decisions_contradicted ON decisions (organization_id, environment, id) WHERE contradicted;
CREATE INDEX decisions_identifier ON decisions (organization_id, environment, identifier) WHERE identifier IS NOT NULL;
CREATE INDEX decisions_code ON decisions (organization_id, environment, code text_pattern_ops, id);
CREATE INDEX decisions_classification ON decisions (classification_id) WHERE classification_id IS NOT NULL;
CREATE TABLE decision_terms (term bigint NOT NULL, number bigint NOT NULL, PRIMARY KEY (term, number))
"""


def upgrade() -> None:
    """Add them."""
    for statement in _SCRIPT.split(";\n"):
        op.execute(statement)
