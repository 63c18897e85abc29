"""Real processes of an installation, and what must be true of it whatever was killed."""

import asyncio
import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2

from builders import ServiceUnderTest
from pcs.base.settings import Settings
from receiver import Receiver

HERE = Path(__file__).parent
WORKER = (str(HERE / "mortal_worker.py"),)
TIMEOUT = 60.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def spawn(settings: Settings, *arguments: str, **more: str) -> asyncio.subprocess.Process:
    """A Python process of its own with these settings."""
    environ = {**os.environ, **settings.as_environment(), **more}
    return await asyncio.create_subprocess_exec(sys.executable, *arguments, env=environ)


@contextlib.asynccontextmanager
async def process(settings: Settings, *arguments: str, **more: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """The same, killed at the end at the latest."""
    started = await spawn(settings, *arguments, **more)
    try:
        yield started
    finally:
        await kill(started)


async def kill(victim: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        victim.send_signal(signal.SIGKILL)
    await victim.wait()


async def dies(victim: asyncio.subprocess.Process) -> None:
    """Wait until a process has killed itself."""
    async with asyncio.timeout(TIMEOUT):
        assert await victim.wait() == -signal.SIGKILL


async def until_up(url: str) -> None:
    """Wait until an API process answers."""
    deadline = time.monotonic() + TIMEOUT
    async with httpx2.AsyncClient(trust_env=False) as client:
        while True:
            with contextlib.suppress(httpx2.TransportError):
                if (await client.get(f"{url}/health")).status_code == 200:
                    return
            assert time.monotonic() < deadline, f"{url} did not come up"
            await asyncio.sleep(0.05)


_OPEN = """
    SELECT (SELECT count(*) FROM classifications WHERE status IN ('pending', 'processing'))
         + (SELECT count(*) FROM deliveries WHERE status IN ('pending', 'sending'))
         + (SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing')) AS open
"""
_TRUTH = """
    SELECT (SELECT count(*) FROM classifications) AS classifications,
           (SELECT count(*) FROM classifications WHERE status = 'completed') AS completed,
           (SELECT count(*) FROM classifications WHERE status = 'failed') AS failed,
           (SELECT count(*) FROM credit_entries) AS credits,
           (SELECT count(*) FROM classifications c WHERE NOT EXISTS (
               SELECT 1 FROM credit_entries e WHERE e.classification_id = c.id)) AS unpaid,
           (SELECT count(*) FROM events WHERE type <> 'batch.completed') AS events,
           (SELECT count(DISTINCT subject_id) FROM events WHERE type <> 'batch.completed') AS told_of,
           (SELECT count(*) FROM batches) AS batches,
           (SELECT count(*) FROM batches WHERE unfinished = 0) AS finished_batches,
           (SELECT count(*) FROM events WHERE type = 'batch.completed') AS batch_events,
           (SELECT count(*) FROM deliveries) AS deliveries,
           (SELECT count(*) FROM deliveries WHERE status = 'delivered') AS delivered
"""


async def count_open(running: ServiceUnderTest) -> int:
    return int((await running.rows(_OPEN))[0]["open"])


async def until_settled(running: ServiceUnderTest, *, seconds: float) -> float:
    """Wait until nothing is open; answers how long it took."""
    started = time.monotonic()
    while await count_open(running):
        assert time.monotonic() - started < seconds, f"{await count_open(running)} still open after {seconds} s"
        await asyncio.sleep(0.2)
    return time.monotonic() - started


async def assert_nothing_lost_and_nothing_doubled(
    running: ServiceUnderTest, receiver: Receiver, *, accepted: int
) -> dict[str, int]:
    """Every classification final with one credit, one event and one delivery; the receiver saw each, by one id.

    Answers the counts, by which `lost`, `credits_doubled` and `two_ids` are 0.
    """
    [truth] = await running.rows(_TRUTH)
    stored = {row["id"]: row["event_id"] for row in await running.rows("SELECT id, event_id FROM deliveries")}
    seen = [(sent.headers["x-service-delivery-id"], sent) for sent in receiver.received]
    ids_by_subject: dict[str, set[str]] = {}
    for delivery_id, sent in seen:
        ids_by_subject.setdefault(_subject(sent.json), set()).add(delivery_id)
    received = {delivery_id for delivery_id, _ in seen}
    counts = {
        "accepted": accepted,
        "completed": truth["completed"],
        "failed": truth["failed"],
        "lost": accepted - truth["completed"] - truth["failed"],
        "credits": truth["credits"],
        "credits_doubled": truth["credits"] - accepted + truth["unpaid"],
        "events": truth["events"] + truth["batch_events"],
        "untold": len(stored) - len(received),
        "two_ids": truth["events"] - truth["told_of"] + sum(len(ids) > 1 for ids in ids_by_subject.values()),
        "received": len(seen),
        "duplicates": len(seen) - len(received),
    }
    said = " ".join(f"{name}={value}" for name, value in counts.items())
    assert truth["classifications"] == truth["completed"] + truth["failed"] == accepted, said
    assert truth["credits"] == accepted, said
    assert truth["unpaid"] == 0, said
    assert truth["events"] == truth["told_of"] == accepted, said
    assert truth["finished_batches"] == truth["batch_events"] == truth["batches"], said
    assert truth["deliveries"] == truth["delivered"] == accepted + truth["batches"], said
    assert received == set(stored), "each delivery was received, and nothing else"
    assert all(stored[delivery_id] == sent.headers["webhook-id"] for delivery_id, sent in seen)
    assert len({(delivery_id, sent.body) for delivery_id, sent in seen}) == len(received), "each had the same bytes"
    assert len(ids_by_subject) == len(received), "no event came by two ids"
    assert counts["lost"] == counts["credits_doubled"] == counts["untold"] == counts["two_ids"] == 0, said
    return counts


def _subject(body: Any) -> str:
    return str(body["data"].get("id") or body["data"]["batch_id"])
