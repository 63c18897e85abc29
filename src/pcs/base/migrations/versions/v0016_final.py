"""The final code: what goods are declared under, who decided it and when; lists and searches read it.

What was decided before is taken over, corrections without their official words. `terms` stays for processes of the
version before; nothing reads it any more. A classification is reviewed more than once, and each time is an event."""

from alembic import op

revision = "0016"
down_revision = "0015"

_SCRIPT = """
DROP INDEX events_once;
CREATE UNIQUE INDEX events_once ON events (subject_id, type)
    WHERE type NOT IN ('webhook.test', 'classification.reviewed');
DROP INDEX classifications_terms;
ALTER TABLE classifications
    ADD COLUMN final_code text, ADD COLUMN final_description text, ADD COLUMN final_revision text,
    ADD COLUMN decided_by text CHECK (decided_by IN ('engine', 'precedent', 'person', 'reviewer')),
    ADD COLUMN decided_at timestamptz, ADD COLUMN decided_by_name text, ADD COLUMN decided_reason text;
UPDATE classifications c
   SET final_code = tariff_line, final_description = coalesce(description, ''), decided_by = 'engine',
       final_revision = coalesce(result ->> 'schedule_revision', ''), decided_at = completed_at
 WHERE status = 'completed' AND tariff_line IS NOT NULL AND (result ->> 'needs_review') IS DISTINCT FROM 'true'
   AND NOT EXISTS (SELECT 1 FROM reviews r WHERE r.classification_id = c.id);
UPDATE classifications c
   SET final_code = coalesce(r.code, tariff_line),
       final_description = CASE WHEN r.code IS NULL THEN coalesce(description, '') ELSE '' END,
       final_revision = coalesce(result ->> 'schedule_revision', ''), decided_by = 'person',
       decided_at = r.reviewed_at, decided_by_name = r.reviewed_by, decided_reason = r.note
  FROM reviews r
 WHERE r.classification_id = c.id AND r.decision <> 'rejected' AND coalesce(r.code, tariff_line) IS NOT NULL;
ALTER TABLE classifications
    ADD CONSTRAINT classifications_final CHECK (
        num_nonnulls(final_code, final_description, final_revision, decided_by, decided_at) IN (0, 5)),
    ADD COLUMN sought tsvector GENERATED ALWAYS AS (to_tsvector('simple', translate(
        product_name || ' ' || coalesce(product_identifier, '') || ' ' || coalesce(final_code, '') || ' ' ||
        coalesce(result ->> 'code', result ->> 'hts_code', result ->> 'cn_code', ''),
        '-_./#:,()+&*''"', '              '
    ))) STORED;
CREATE INDEX classifications_sought ON classifications USING gin (sought) WITH (fastupdate = off)
"""


def upgrade() -> None:
    """Add it, with what was decided before."""
    for statement in _SCRIPT.split(";\n"):
        op.execute(statement)
