"""The balance of each organization that has a credit limit, so that nobody sums its ledger.

The database keeps it, since the version before enters credits too while an upgrade is rolled out. Who sets the first
limit waits until those who are entering credits are through: their entries refer to the organization and hold it."""

from alembic import op

revision = "0032"
down_revision = "0031"

_SCRIPT = """
CREATE TABLE credit_balances (organization_id text PRIMARY KEY REFERENCES organizations, credits bigint NOT NULL);

CREATE FUNCTION add_to_balance() RETURNS trigger LANGUAGE plpgsql AS '
BEGIN
    UPDATE credit_balances b SET credits = b.credits + more.credits
      FROM (SELECT organization_id, sum(credits) AS credits FROM entered WHERE environment = ''live'' GROUP BY 1) more
     WHERE b.organization_id = more.organization_id;
    RETURN NULL;
END';

CREATE TRIGGER credit_entries_balance AFTER INSERT ON credit_entries REFERENCING NEW TABLE AS entered
    FOR EACH STATEMENT EXECUTE FUNCTION add_to_balance();

CREATE FUNCTION begin_balance() RETURNS trigger LANGUAGE plpgsql AS '
BEGIN
    IF NOT EXISTS (SELECT 1 FROM credit_balances WHERE organization_id = NEW.id) THEN
        PERFORM 1 FROM organizations WHERE id = NEW.id FOR UPDATE;
        INSERT INTO credit_balances
        SELECT NEW.id, coalesce(sum(credits), 0) FROM credit_entries
         WHERE organization_id = NEW.id AND environment = ''live'';
    END IF;
    RETURN NULL;
END';

CREATE TRIGGER organizations_balance AFTER INSERT OR UPDATE OF credit_limit ON organizations
    FOR EACH ROW WHEN (NEW.credit_limit IS NOT NULL) EXECUTE FUNCTION begin_balance();

INSERT INTO credit_balances
SELECT o.id, coalesce(sum(e.credits), 0)
  FROM organizations o LEFT JOIN credit_entries e ON e.organization_id = o.id AND e.environment = 'live'
 WHERE o.credit_limit IS NOT NULL GROUP BY o.id
"""


def upgrade() -> None:
    """Add it, the triggers that keep it, and what is due by now."""
    for statement in _SCRIPT.split(";\n\n"):
        op.execute(statement)
