"""Real processes, killed for real: nothing is lost and nobody is told twice."""

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from builders import ServiceUnderTest
from deployment import database_of_its_own
from pcs.base.settings import Settings
from receiver import Receiver

pytestmark = pytest.mark.crash

PROGRAM = Path(__file__).with_name("worker_process.py")


@pytest.fixture
def settings(settings: Settings) -> Iterator[Settings]:
    with database_of_its_own(settings) as own:
        yield own


@contextlib.asynccontextmanager
async def worker(running: ServiceUnderTest, *, seconds: float) -> AsyncIterator[asyncio.subprocess.Process]:
    """A worker process of its own, whose analyses take so long; its rhythms are the operator's defaults."""
    environ = {**os.environ, **running.service.settings.as_environment(), "TEST_ANALYSIS_SECONDS": str(seconds)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(PROGRAM), env=environ, stdout=asyncio.subprocess.PIPE
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def says(process: asyncio.subprocess.Process, word: bytes) -> None:
    assert process.stdout is not None
    async with asyncio.timeout(90):
        assert (await process.stdout.readline()).strip() == word


async def until_final(running: ServiceUnderTest, accepted: Any, *, seconds: float) -> Any:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        polled = await running.poll(accepted)
        if polled["status"] in {"completed", "failed"}:
            return polled
        await asyncio.sleep(0.25)
    pytest.fail(f"not final after {seconds} s: {polled}")


async def test_a_worker_killed_in_the_middle_of_an_analysis_loses_and_doubles_nothing(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    await running.run("UPDATE api_keys SET rate_limit = 9999 WHERE organization_id = :id", id=running.organization_id)
    await running.live.put("/api/v1/webhooks", json={"url": receiver.url})
    accepted = await running.classify()
    async with worker(running, seconds=60) as doomed:
        await says(doomed, b"analysing")
        assert (await running.poll(accepted))["status"] == "processing"
        doomed.send_signal(signal.SIGKILL)
        await doomed.wait()
    async with worker(running, seconds=0) as other:
        polled = await until_final(running, accepted, seconds=60)
        await says(other, b"analysing")
        async with asyncio.timeout(10):
            await receiver.arrived.wait()
    assert polled["status"] == "completed"
    subject = accepted["classifications"][0]["id"]
    assert len(await running.rows("SELECT 1 FROM credit_entries WHERE classification_id = :id", id=subject)) == 1
    assert len(await running.rows("SELECT 1 FROM events WHERE subject_id = :id", id=subject)) == 1
    assert [sent.json["data"]["id"] for sent in receiver.received] == [subject]
    [row] = await running.rows("SELECT attempt FROM classifications WHERE id = :id", id=subject)
    assert row["attempt"] == 2


async def test_a_worker_told_to_stop_finishes_what_it_has_begun(running: ServiceUnderTest) -> None:
    accepted = await running.classify()
    async with worker(running, seconds=2) as stopping:
        await says(stopping, b"analysing")
        stopping.send_signal(signal.SIGTERM)
        async with asyncio.timeout(20):
            assert await stopping.wait() == 0
    assert (await running.poll(accepted))["status"] == "completed"
