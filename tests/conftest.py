"""One real PostgreSQL a session, from the wheel, and one database an xdist worker.

The trap: tests that clean up after each other; here each makes an organization of its own and sees nothing else."""

import asyncio
import logging
import os
import shutil
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psycopg
import pytest

from builders import ServiceUnderTest, TurnedClock, build_service_under_test
from pcs.base.migrate import migrate
from pcs.base.postgres import EmbeddedPostgres
from pcs.base.settings import Settings
from pcs.base.telemetry import configure_logging
from receiver import Receiver

FOLDER = "PCS_TEST_POSTGRES"


def pytest_configure(config: pytest.Config) -> None:
    configure_logging("warning")
    if not hasattr(config, "workerinput"):
        folder = tempfile.mkdtemp(prefix="pcs-tests-")
        Path(folder).chmod(0o755)  # the database's own user must get in
        os.environ[FOLDER] = folder
        os.environ["PCS_CACHE_DIR"] = str(config.cache.mkdir("engine"))  # counted once for all tests


def pytest_make_parametrize_id(val: object) -> str | None:
    """Short names that test processes agree on: a workbook that each of them makes has its own time in it."""
    if isinstance(val, bytes):
        return "bytes"
    return ascii(val[:80]) if isinstance(val, str) and len(val) > 80 else None


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ[FOLDER], ignore_errors=True)


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    """A command that a test runs in this process does not decide what later tests log, and where to."""
    before = logging.getLogger().level
    yield
    if logging.getLogger().level != before:
        configure_logging(logging.getLevelName(before))


@pytest.fixture(scope="session")
def database_url(worker_id: str) -> Iterator[str]:
    """A migrated database of this xdist worker's own."""
    with EmbeddedPostgres(Path(os.environ[FOLDER]), durable=False) as postgres:
        name = f"test_{worker_id}"
        with psycopg.connect(postgres.url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        url = postgres.url.replace("@/pcs?", f"@/{name}?")
        migrate(url)
        yield url


@pytest.fixture
def empty_database(database_url: str) -> Iterator[str]:
    """A database of this test's own on the session's server, without any table."""
    name = f"own_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        before, _, after = database_url.rpartition("?")
        yield f"{before.rpartition('/')[0]}/{name}?{after}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def settings(database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """An installation that may send webhooks to this machine and does not dawdle."""
    return Settings.from_environment(
        {
            "PCS_DATA_DIR": str(tmp_path_factory.mktemp("data")),
            "PCS_CACHE_DIR": os.environ["PCS_CACHE_DIR"],
            "PCS_DATABASE_URL": database_url,
            "PCS_SECRET_KEY": "a secret for tests",
            "PCS_SANDBOX_DELAY_SECONDS": "0",
            "PCS_WEBHOOK_ALLOW_HTTP": "true",
            "PCS_WEBHOOK_ALLOWED_PRIVATE_CIDRS": "127.0.0.0/8",
            "PCS_WEBHOOK_TIMEOUT_SECONDS": "3",
        },
    )


@pytest.fixture(scope="session")
def published() -> Path:
    """Published tariff data, where this machine has any."""
    folder = Path(os.environ.get("PCS_SHARED") or Path(__file__).parents[2] / "shared") / "data"
    if not folder.is_dir():
        pytest.skip(f"needs published tariff data in {folder}: set PCS_SHARED to the folder that holds data/")
    return folder


@pytest.fixture
async def running(settings: Settings) -> AsyncIterator[ServiceUnderTest]:
    """Both APIs in this process, one organization with keys, and a worker that works when told to.

    What a test stores in the data folder is gone after it: a revision left there would answer in the next test.
    """
    under_test = await build_service_under_test(settings, TurnedClock())
    yield under_test
    await under_test.close()
    shutil.rmtree(settings.data_dir)
    settings.data_dir.mkdir()


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    """A real HTTP server that remembers what it was sent."""
    listening = Receiver()
    server = await asyncio.start_server(listening.serve, "127.0.0.1", 0)
    listening.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
    yield listening
    server.close()
    await server.wait_closed()
