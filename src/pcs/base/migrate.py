"""Brings a database to this version's tables, ours (Alembic) and the queue's (Procrastinate's own SQL files).

The traps: two processes that migrate at once, so all of it happens under one advisory lock, which is asked for again
and again, since an index that is built beside others waits for every statement under way, one that waits for a lock
too; and a migration that waits for a table which a backup reads, since everybody who comes after it waits behind it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

from alembic import command
from alembic.config import Config
from procrastinate.schema import SchemaManager
from psycopg.errors import DeadlockDetected, LockNotAvailable
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from pcs.base.database import parse_url
from pcs.base.errors import OperatorError
from pcs.base.tables import SCRIPTS, is_newer

_LOCK = 7_269_001  # any number that only this service uses
_LOCK_TIMEOUT_MS = 500  # for a table in use: then who waits behind us passes; less than PostgreSQL's deadlock_timeout
_TRIES = 120
_PAUSE_SECONDS = 1.0
_TURN_SECONDS = 0.1
_QUEUE_TABLE = "CREATE TABLE IF NOT EXISTS queue_migrations (name text PRIMARY KEY)"


def migrate(url: str, *, revision: str = "head", scripts: Path = SCRIPTS) -> None:
    """Create or upgrade every table; safe to run again and by several at once, and leaves a later version's alone.

    Others may go on working meanwhile. Raises OperatorError without a database, or where a table is never free.
    """
    with _connected(url) as connection:
        _take_turn(connection)
        try:
            if not is_newer(connection, scripts):
                _upgrade_patiently(connection, _configuration(connection, scripts), revision)
            connection.commit()
        finally:
            connection.rollback()
            connection.execute(text("SELECT pg_advisory_unlock(:lock)"), {"lock": _LOCK})


def _take_turn(connection: Connection) -> None:
    while not connection.execute(text("SELECT pg_try_advisory_lock(:lock)"), {"lock": _LOCK}).scalar():
        connection.commit()
        time.sleep(_TURN_SECONDS)
    connection.commit()


def _upgrade_patiently(connection: Connection, configuration: Config, revision: str) -> None:
    """Upgrade a migration at a time, again and again from where it stands until nobody holds a table for long."""
    connection.execute(text(f"SET lock_timeout = {_LOCK_TIMEOUT_MS}"))
    connection.commit()
    for _ in range(_TRIES):
        try:
            _upgrade_queue(connection)
            command.upgrade(configuration, revision)
        except OperationalError as error:
            if not isinstance(error.orig, LockNotAvailable | DeadlockDetected):
                raise
            connection.rollback()
            time.sleep(_PAUSE_SECONDS)
        else:
            return
    msg = "A table was in use all the time: end the backup or the long query that holds it, then migrate again."
    raise OperatorError(msg)


@contextmanager
def _connected(url: str) -> Iterator[Connection]:
    engine = create_engine(parse_url(url), poolclass=NullPool, connect_args={"connect_timeout": 5})
    try:
        with engine.connect() as connection:
            yield connection
    except OperationalError as error:
        msg = f"The database cannot be reached ({str(error.orig).strip().splitlines()[0]}): check PCS_DATABASE_URL."
        raise OperatorError(msg) from None
    finally:
        engine.dispose()


def _configuration(connection: Connection | None, scripts: Path = SCRIPTS) -> Config:
    configuration = Config()
    configuration.set_main_option("script_location", str(scripts))
    configuration.attributes["connection"] = connection
    return configuration


def _upgrade_queue(connection: Connection) -> None:
    """Apply the queue's whole schema to a new database, or those of its migration files that came since."""
    connection.execute(text(_QUEUE_TABLE))
    applied = set(connection.execute(text("SELECT name FROM queue_migrations")).scalars())
    files = sorted(
        (file for file in resources.files("procrastinate.sql.migrations").iterdir() if file.name.endswith(".sql")),
        key=lambda file: file.name,
    )
    if not applied:
        _run(connection, SchemaManager.get_schema())
    for file in files:
        if applied and file.name not in applied:
            _run(connection, file.read_text(encoding="utf-8"))
        connection.execute(
            text("INSERT INTO queue_migrations VALUES (:name) ON CONFLICT DO NOTHING"), {"name": file.name}
        )
    connection.commit()


def _run(connection: Connection, script: str) -> None:
    """Run a script of several statements as PostgreSQL's simple protocol allows: without parameters."""
    driver = connection.connection.driver_connection
    assert driver is not None
    driver.execute(script)
