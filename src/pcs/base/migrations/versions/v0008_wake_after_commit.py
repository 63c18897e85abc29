"""Workers are woken after a commit, not by a trigger within it: transactions that NOTIFY commit one after the other."""

from alembic import op

revision = "0008"
down_revision = "0007"

# by its function's name, as the trigger's own may change with the queue's version; aborted jobs go on being told
_SCRIPT = """
DO $$
DECLARE name text;
BEGIN
    FOR name IN
        SELECT t.tgname FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
         WHERE t.tgrelid = 'procrastinate_jobs'::regclass AND p.proname LIKE 'procrastinate_notify_queue_job_inserted%'
    LOOP
        EXECUTE format('ALTER TABLE procrastinate_jobs DISABLE TRIGGER %I', name);
    END LOOP;
END $$
"""


def upgrade() -> None:
    """Switch the trigger off."""
    op.execute(_SCRIPT)
