"""A database that no other test's jobs are in, and rhythms that make a rescue a matter of seconds."""

import dataclasses
from collections.abc import AsyncIterator
from typing import Any

import pytest

from builders import ServiceUnderTest, TurnedClock, build_service_under_test
from pcs.base.migrate import migrate
from pcs.base.settings import Settings

RHYTHMS: dict[str, Any] = {"worker_heartbeat_seconds": 0.5, "worker_stalled_seconds": 2.5, "sweep_seconds": 0.5}


@pytest.fixture
def own_database(empty_database: str) -> str:
    """A migrated database on the session's server."""
    migrate(empty_database)
    return empty_database


@pytest.fixture
async def apart(settings: Settings, own_database: str) -> AsyncIterator[ServiceUnderTest]:
    """A service on a database of its own, quick to notice that a worker has died."""
    quick = dataclasses.replace(settings, database_url=own_database, **RHYTHMS)
    under_test = await build_service_under_test(quick, TurnedClock())
    await under_test.run("UPDATE api_keys SET rate_limit = 1000000")
    yield under_test
    await under_test.close()
