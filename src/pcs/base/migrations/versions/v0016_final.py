"""The final code: what goods are declared under, who decided it and when; lists and searches read it.

What was decided before is taken over, corrections without their official words. `terms` stays for processes of the
version before; nothing reads it any more. A classification is reviewed more than once, and each time is an event.
What is sought is written by a trigger: a column that the database computes has it write the whole table anew, and
nobody reads meanwhile."""

from alembic import op

from pcs.base.migrations.online import add_constraint, add_index, drop_index, update_in_batches

revision = "0016"
down_revision = "0015"

_COLUMNS = """
ALTER TABLE classifications
    ADD COLUMN IF NOT EXISTS final_code text, ADD COLUMN IF NOT EXISTS final_description text,
    ADD COLUMN IF NOT EXISTS final_revision text, ADD COLUMN IF NOT EXISTS decided_by text,
    ADD COLUMN IF NOT EXISTS decided_at timestamptz, ADD COLUMN IF NOT EXISTS decided_by_name text,
    ADD COLUMN IF NOT EXISTS decided_reason text, ADD COLUMN IF NOT EXISTS sought tsvector
"""
_FUNCTION = """
CREATE OR REPLACE FUNCTION set_sought() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.sought := to_tsvector('simple', translate(
        NEW.product_name || ' ' || coalesce(NEW.product_identifier, '') || ' ' || coalesce(NEW.final_code, '') ||
        ' ' || coalesce(NEW.result ->> 'code', NEW.result ->> 'hts_code', NEW.result ->> 'cn_code', ''),
        '-_./#:,()+&*''"', '              '));
    RETURN NEW;
END $$
"""
_TRIGGER = """
CREATE OR REPLACE TRIGGER classifications_sought
    BEFORE INSERT OR UPDATE OF product_name, product_identifier, final_code, result ON classifications
    FOR EACH ROW EXECUTE FUNCTION set_sought()
"""
_DECIDED = """
WITH decided AS (
    SELECT c.id, r.classification_id IS NOT NULL AS reviewed, r.reviewed_at, r.reviewed_by, r.note, CASE
           WHEN r.decision = 'rejected' THEN NULL
           WHEN r.decision IS NOT NULL THEN coalesce(r.code, c.tariff_line)
           WHEN c.status = 'completed' AND (c.result ->> 'needs_review') IS DISTINCT FROM 'true' THEN c.tariff_line
           END AS code, r.code AS corrected
      FROM classifications c LEFT JOIN reviews r ON r.classification_id = c.id
     WHERE c.id > :after AND c.id <= :last AND c.decided_by IS NULL)
UPDATE classifications c
   SET final_code = d.code,
       final_description = CASE WHEN d.code IS NULL THEN NULL
                                WHEN d.corrected IS NULL THEN coalesce(c.description, '') ELSE '' END,
       final_revision = CASE WHEN d.code IS NOT NULL THEN coalesce(c.result ->> 'schedule_revision', '') END,
       decided_by = CASE WHEN d.code IS NULL THEN NULL WHEN d.reviewed THEN 'person' ELSE 'engine' END,
       decided_at = CASE WHEN d.code IS NULL THEN NULL WHEN d.reviewed THEN d.reviewed_at ELSE c.completed_at END,
       decided_by_name = CASE WHEN d.code IS NOT NULL THEN d.reviewed_by END,
       decided_reason = CASE WHEN d.code IS NOT NULL THEN d.note END
  FROM decided d WHERE c.id = d.id AND c.decided_by IS NULL
"""
_KINDS = "CHECK (decided_by IN ('engine', 'precedent', 'person', 'reviewer'))"
_WHOLE = "CHECK (num_nonnulls(final_code, final_description, final_revision, decided_by, decided_at) IN (0, 5))"


def upgrade() -> None:
    """Add it, then what was decided before."""
    for statement in (_COLUMNS, _FUNCTION, _TRIGGER):
        op.execute(statement)
    add_constraint("classifications", "classifications_decided_by_check", _KINDS)
    add_constraint("classifications", "classifications_final", _WHOLE)
    update_in_batches("classifications", _DECIDED)
    add_index("classifications_sought", "ON classifications USING gin (sought) WITH (fastupdate = off)")
    drop_index("classifications_terms")
    reviewed = "WHERE type NOT IN ('webhook.test', 'classification.reviewed')"
    add_index("events_once_unless_reviewed", f"ON events (subject_id, type) {reviewed}", unique=True)
    drop_index("events_once")
