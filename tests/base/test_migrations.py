"""Upgrades in place: the version that runs survives the migrations of the next, and a rollback finds its tables."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from builders import ServiceUnderTest
from pcs.base import migrate as migrating
from pcs.base.database import parse_url
from pcs.base.tables import SCRIPTS, is_current, known_revisions

VERSIONS = sorted(Path(migrating.__file__).parent.joinpath("migrations", "versions").glob("v*.py"))
BREAKING = {
    "removes what the running version reads": r"\bDROP\s+(TABLE|COLUMN|VIEW|TYPE|FUNCTION|SCHEMA)\b",
    "renames what the running version uses": r"\bRENAME\b",
    "changes a type under the running version": r"\bALTER\s+(COLUMN\s+)?\w+\s+(SET\s+DATA\s+)?TYPE\b",
    "forbids what the running version writes": r"\bSET\s+NOT\s+NULL\b",
    "demands what the running version does not write": r"\bADD\s+COLUMN\s+\w+\s+[^,;]*NOT\s+NULL(?![^,;]*DEFAULT)",
    "deletes data": r"\b(DELETE\s+FROM|TRUNCATE)\b",
}
GROWS = "products|classifications|batches|reviews|events|deliveries|audit_entries|credit_entries|decisions"
LOCKING = {
    "indexes a table while nobody may write to it": rf"\bINDEX\s+(IF\s+NOT\s+EXISTS\s+)?\w+\s+ON\s+({GROWS})\b",
    "rewrites or reads a whole table while nobody else may": (
        rf"\bTABLE\s+({GROWS})\s[^;]*\bADD\s+COLUMN\s[^,;]*\b(GENERATED|REFERENCES|CHECK)\b"
    ),
}
SINCE = "v0013"  # what 0.2.0 has not


def test_migrations_are_named_by_their_numbers() -> None:
    configuration = Config()
    configuration.set_main_option("script_location", str(SCRIPTS))
    directory = ScriptDirectory.from_config(configuration)
    assert known_revisions() == {script.revision for script in directory.walk_revisions()}
    assert max(known_revisions()) == directory.get_current_head()


@pytest.mark.parametrize("script", VERSIONS, ids=lambda path: path.stem)
def test_a_migration_only_adds(script: Path) -> None:
    upgrade = script.read_text(encoding="utf-8").partition("def downgrade")[0]
    found = {why for why, pattern in BREAKING.items() if re.search(pattern, upgrade, re.IGNORECASE)}
    assert found == set()


@pytest.mark.parametrize("script", [one for one in VERSIONS if one.stem >= SINCE], ids=lambda path: path.stem)
def test_a_migration_keeps_nobody_from_a_table_that_grows(script: Path) -> None:
    """It takes the steps of `migrations/online.py`, unless it made the table itself."""
    upgrade = script.read_text(encoding="utf-8")
    made = re.findall(r"\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)", upgrade)
    for table in made:
        upgrade = re.sub(rf"\bINDEX\s+\w+\s+ON\s+{table}\b", "", upgrade)
    assert {why for why, pattern in LOCKING.items() if re.search(pattern, upgrade)} == set()


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("ALTER TABLE x DROP COLUMN y", "removes what the running version reads"),
        ("ALTER TABLE x ADD COLUMN y text NOT NULL", "demands what the running version does not write"),
        ("ALTER TABLE x ALTER COLUMN y TYPE bigint", "changes a type under the running version"),
        ("CREATE INDEX x ON events (id)", "indexes a table while nobody may write to it"),
        (
            "ALTER TABLE events ADD COLUMN y text GENERATED ALWAYS AS (z) STORED",
            "rewrites or reads a whole table while nobody else may",
        ),
    ],
)
def test_what_would_break_the_running_version_is_recognized(statement: str, why: str) -> None:
    assert re.search((BREAKING | LOCKING)[why], statement)
    assert not re.search((BREAKING | LOCKING)[why], "ALTER TABLE x ADD COLUMN y boolean NOT NULL DEFAULT false")


async def test_a_later_version_s_tables_are_good_enough_and_left_alone(running: ServiceUnderTest) -> None:
    url = running.service.settings.database_url
    current = (await running.rows("SELECT version_num FROM alembic_version"))[0]["version_num"]
    await running.run("UPDATE alembic_version SET version_num = '9999'")
    try:
        engine = create_engine(parse_url(url))
        with engine.connect() as connection:
            assert is_current(connection)
        engine.dispose()
        migrating.migrate(url)
        assert await running.rows("SELECT version_num FROM alembic_version") == [{"version_num": "9999"}]
        assert (await running.live.get("/api/v1/webhooks")).status_code == 404, "it serves"
    finally:
        await running.run("UPDATE alembic_version SET version_num = :current", current=current)


def test_an_earlier_version_s_tables_are_not(database_url: str) -> None:
    engine = create_engine(parse_url(database_url))
    with engine.connect() as connection, connection.begin() as transaction:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0001'")
        assert not is_current(connection)
        transaction.rollback()
    engine.dispose()


async def test_a_worker_of_the_version_before_can_still_write_deliveries(running: ServiceUnderTest) -> None:
    """It does not know of `for_endpoint`; its deliveries are sent as a request's own."""
    await running.run(
        """INSERT INTO events VALUES ('evt_old', :id, 'live', 'webhook.test', 'evt_old', '{}', now())""",
        id=running.organization_id,
    )
    await running.run(
        """INSERT INTO deliveries (id, organization_id, environment, event_id, url, status, created_at, next_attempt_at)
           VALUES ('dlv_old', :id, 'live', 'evt_old', 'http://127.0.0.1:9/', 'pending', now(), now())""",
        id=running.organization_id,
    )
    rows = await running.rows("SELECT for_endpoint, claim FROM deliveries WHERE id = 'dlv_old'")
    assert rows == [{"for_endpoint": False, "claim": 0}]
    with psycopg.connect(running.service.settings.database_url) as connection:
        connection.execute("DELETE FROM deliveries WHERE id = 'dlv_old'")
        connection.execute("DELETE FROM events WHERE id = 'evt_old'")


def until_it_waits(connection: psycopg.Connection) -> None:
    """Wait until somebody waits for a lock on `deliveries`."""
    waits = "SELECT 1 FROM pg_locks WHERE relation = 'deliveries'::regclass AND NOT granted"
    deadline = time.monotonic() + 20
    while connection.execute(waits).fetchone() is None:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_migration_that_has_to_wait_lets_all_others_pass_until_a_backup_is_done(empty_database: str) -> None:
    """`ALTER TABLE` waits for whoever reads the table, and everybody who comes later waits for `ALTER TABLE`."""
    migrating.migrate(empty_database, revision="0003")
    with (
        ThreadPoolExecutor(1) as executor,
        psycopg.connect(empty_database, autocommit=True) as other,
        psycopg.connect(empty_database) as backup,
    ):
        backup.execute("LOCK TABLE deliveries IN ACCESS SHARE MODE")
        migration = executor.submit(migrating.migrate, empty_database)
        until_it_waits(other)
        started = time.monotonic()
        other.execute("SELECT count(*) FROM deliveries")
        assert time.monotonic() - started < 5
        assert not migration.done()
        backup.rollback()
        migration.result(timeout=30)
        other.execute("SELECT for_endpoint FROM deliveries")


UNDECIDED = """
INSERT INTO organizations (id, name, created_at) VALUES ('org_1', 'Acme', now());
INSERT INTO products (id, organization_id, environment, name, created_at)
VALUES ('product_1', 'org_1', 'live', 'Goods', now());
INSERT INTO classifications (id, organization_id, environment, product_id, schedule, status, product_name, created_at,
                             completed_at, result)
SELECT 'clf_' || lpad(n::text, 4, '0'), 'org_1', 'live', 'product_1', 'US-HTS', 'completed', 'Goods ' || n, now(),
       now(), jsonb_build_object('version', 1, 'schedule_revision', '2026', 'code', '6109100012',
                                 'description', 'T-shirts', 'needs_review', n = 3)
  FROM generate_series(1, 2500) n;
INSERT INTO reviews (classification_id, organization_id, environment, decision, code, note, reviewed_by, reviewed_at)
VALUES ('clf_0001', 'org_1', 'live', 'corrected', '6109100040', 'Knitted', 'Ada', now()),
       ('clf_0002', 'org_1', 'live', 'rejected', NULL, NULL, 'Ada', now())
"""
TAKEN_OVER = """
SELECT final_code, final_description, final_revision, decided_by, decided_by_name, decided_reason FROM classifications
 WHERE id IN ('clf_0001', 'clf_0002', 'clf_0003', 'clf_2500') ORDER BY id
"""
GATE = """
CREATE FUNCTION gate() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NEW; END $$;
CREATE TRIGGER gate BEFORE UPDATE ON classifications FOR EACH ROW WHEN (NEW.id = 'clf_2500') EXECUTE FUNCTION gate()
"""
HELD_AT_THE_GATE = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 42 AND NOT granted"


def until_found(connection: psycopg.Connection, query: str) -> None:
    deadline = time.monotonic() + 20
    while connection.execute(query).fetchone() is None:
        assert time.monotonic() < deadline, query
        time.sleep(0.01)


def test_everybody_reads_while_what_was_decided_is_taken_over(empty_database: str) -> None:
    """The migration is held at its last row: what it keeps from others then, it keeps from them all the while."""
    migrating.migrate(empty_database, revision="0012")
    with (
        ThreadPoolExecutor(1) as executor,
        psycopg.connect(empty_database, autocommit=True) as reader,
        psycopg.connect(empty_database, autocommit=True) as keeper,
    ):
        reader.execute(UNDECIDED)
        reader.execute(GATE)
        keeper.execute("SELECT pg_advisory_lock(42)")
        migration = executor.submit(migrating.migrate, empty_database)
        until_found(reader, HELD_AT_THE_GATE)
        reader.execute("SET lock_timeout = 100")
        assert reader.execute("SELECT count(*) FROM classifications WHERE result IS NOT NULL").fetchone() == (2500,)
        reader.execute("UPDATE classifications SET started_at = now() WHERE id = 'clf_0700'")
        assert not migration.done()
        keeper.execute("SELECT pg_advisory_unlock(42)")
        migration.result(timeout=30)
        assert reader.execute(TAKEN_OVER).fetchall() == [
            ("6109100040", "", "2026", "person", "Ada", "Knitted"),
            (None, None, None, None, None, None),
            (None, None, None, None, None, None),
            ("6109100012", "T-shirts", "2026", "engine", None, None),
        ]
        found = (
            "SELECT count(*), count(final_code) FROM classifications WHERE sought @@ to_tsquery('simple', '6109100012')"
        )
        assert reader.execute(found).fetchone() == (2500, 2498)


def test_two_migrate_at_once_and_one_that_broke_off_begins_again(empty_database: str) -> None:
    """An index that is built beside others waits for every statement; what ends a transaction is found half done."""
    with ThreadPoolExecutor(2) as executor:
        for one in [executor.submit(migrating.migrate, empty_database) for _ in range(2)]:
            one.result(timeout=60)
    in_parts = [script for script in VERSIONS if "migrations.online" in script.read_text(encoding="utf-8")]
    assert in_parts
    with psycopg.connect(empty_database, autocommit=True) as connection:
        for script in in_parts:
            number = script.stem[1:5]
            connection.execute("UPDATE alembic_version SET version_num = %s", [f"{int(number) - 1:04}"])
            migrating.migrate(empty_database, revision=number)
        invalid = "SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid"
        assert connection.execute(invalid).fetchall() == []
