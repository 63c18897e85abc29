"""A storm: classifications come in over HTTP while workers, the API and the database are killed under them.

The trap: a storm that is over before it hurts; kills go on until all of them have been dealt, and work is under way."""

import asyncio
import contextlib
import dataclasses
import functools
import os
import random
import shutil
import signal
import tempfile
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest

from builders import TurnedClock, build_service_under_test
from crash.processes import (
    WORKER,
    assert_nothing_lost_and_nothing_doubled,
    count_open,
    free_port,
    kill,
    spawn,
    until_settled,
    until_up,
)
from pcs.base.migrate import migrate
from pcs.base.postgres import EmbeddedPostgres
from pcs.base.settings import Settings
from receiver import Receiver

pytestmark = pytest.mark.crash

SCHEDULES = ("US-HTS", "EU-CN")
BATCH = 25  # products in a bulk request; two schedules each
CLIENTS = 4
SUBMITTING = 0.5  # of the storm's time, so that faults hit what is being accepted and what waits


@dataclass(frozen=True)
class Storm:
    """How hard it blows. `singles` and `batches` are requests, of 2 and of 50 classifications."""

    singles: int
    batches: int
    workers: int
    worker_kills: int
    api_kills: int
    restarts: int
    pause: float
    analysis_seconds: float
    settle_seconds: float = 90

    @property
    def classifications(self) -> int:
        return self.singles * 2 + self.batches * BATCH * 2

    @property
    def seconds(self) -> float:
        """From the first fault to the last, about."""
        return self.pause * (self.worker_kills + self.api_kills + self.restarts)


BREEZE = Storm(30, 2, workers=2, worker_kills=4, api_kills=1, restarts=1, pause=1.5, analysis_seconds=0.2)
FULL = Storm(300, 8, workers=4, worker_kills=18, api_kills=2, restarts=2, pause=3.0, analysis_seconds=0.25)


class Slot:
    """A process that is started again whenever it ends, as a supervisor would."""

    def __init__(self, settings: Settings, *arguments: str, **more: str) -> None:
        self._start = functools.partial(spawn, settings, *arguments, **more)
        self.deaths = 0

    async def keep(self) -> None:
        self.process = await self._start()
        try:
            while True:
                await self.process.wait()
                self.deaths += 1
                await asyncio.sleep(0.2)
                self.process = await self._start()
        finally:
            await kill(self.process)


@contextlib.asynccontextmanager
async def kept(*slots: Slot) -> AsyncIterator[None]:
    keepers = [asyncio.create_task(slot.keep()) for slot in slots]
    await asyncio.sleep(0.5)
    try:
        yield
    finally:
        for keeper in keepers:
            keeper.cancel()
        await asyncio.gather(*keepers, return_exceptions=True)


class Client:
    """A customer who repeats a request with its Idempotency-Key until it is answered."""

    def __init__(self, url: str, key: str) -> None:
        self._client = httpx2.AsyncClient(
            base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {key}"}, trust_env=False, timeout=20
        )
        self.repeats = 0

    async def submit(self, path: str, body: Any, name: str) -> Any:
        while True:
            with contextlib.suppress(httpx2.TransportError):
                response = await self._client.post(path, json=body, headers={"Idempotency-Key": name})
                if response.status_code == 202:
                    return response.json()
                assert response.status_code in {409, 500, 503}, response.text
            self.repeats += 1
            await asyncio.sleep(0.5)

    async def close(self) -> None:
        await self._client.aclose()


def restart(postgres: EmbeddedPostgres, *, hard: bool) -> None:
    """Kill the server like a power cut, or stop it like an administrator; then start it again."""
    if hard:
        with psycopg.connect(postgres.url) as connection:
            row = connection.execute("SELECT pg_read_file('postmaster.pid')").fetchone()
        assert row is not None
        os.kill(int(row[0].split("\n")[0]), signal.SIGKILL)
    else:
        postgres._stop()  # noqa: SLF001 (as its last user would)
    deadline = time.monotonic() + 30
    while not postgres.revive():
        assert time.monotonic() < deadline
        time.sleep(0.05)


async def submit_all(storm: Storm, client: Client) -> list[str]:
    """Submit everything, in a mixed order, and answer every classification's id."""
    requests: list[tuple[str, dict[str, Any], str]] = [
        ("/products/classify", {"product": {"name": f"T-shirt {number}"}, "schedules": list(SCHEDULES)}, f"s{number}")
        for number in range(storm.singles)
    ]
    products = [{"name": f"T-shirt {number}", "identifier": f"SKU-{number}"} for number in range(BATCH)]
    requests += [
        ("/classifications/bulk", {"products": products, "schedules": list(SCHEDULES)}, f"b{number}")
        for number in range(storm.batches)
    ]
    random.shuffle(requests)
    gate = asyncio.Semaphore(CLIENTS)
    pause = storm.seconds * SUBMITTING * CLIENTS / len(requests)

    async def one(request: tuple[str, dict[str, Any], str]) -> list[str]:
        async with gate:
            answer = await client.submit(*request)
            await asyncio.sleep(pause)
        return [stub["id"] for stub in answer["classifications"]]

    return [found for answer in await asyncio.gather(*map(one, requests)) for found in answer]


async def blow(storm: Storm, postgres: EmbeddedPostgres, workers: list[Slot], api: Slot) -> None:
    """Deal every kill and restart, each after a random pause, a worker's to a random one."""
    faults = ["worker"] * storm.worker_kills
    for number in range(storm.api_kills):  # in the first half: while requests come in
        faults.insert((number + 1) * len(faults) // (2 * storm.api_kills + 1), "api")
    for number in range(storm.restarts):
        faults.insert((number + 1) * len(faults) // (storm.restarts + 1), "hard" if number % 2 == 0 else "soft")
    for fault in faults:
        await asyncio.sleep(storm.pause * random.uniform(0.5, 1.5))
        if fault in {"hard", "soft"}:
            await asyncio.to_thread(restart, postgres, hard=fault == "hard")
            continue
        alive = [slot for slot in ([api] if fault == "api" else workers) if slot.process.returncode is None]
        while not alive:
            await asyncio.sleep(0.1)
            alive = [slot for slot in ([api] if fault == "api" else workers) if slot.process.returncode is None]
        random.choice(alive).process.send_signal(signal.SIGKILL)


async def weather(storm: Storm, settings: Settings, postgres: EmbeddedPostgres, receiver: Receiver) -> dict[str, Any]:
    running = await build_service_under_test(settings, TurnedClock())
    await running.run("UPDATE api_keys SET rate_limit = 1000000")
    kinds = ["classification.completed", "classification.failed", "batch.completed"]
    await running.live.put("/api/v1/webhooks", json={"url": receiver.url, "event_types": kinds})
    port = free_port()
    api = Slot(settings, "-m", "pcs.cli.main", "serve", "--port", str(port))
    workers = [Slot(settings, *WORKER, TEST_ANALYSIS_SECONDS=str(storm.analysis_seconds)) for _ in range(storm.workers)]
    client = Client(f"http://127.0.0.1:{port}", running.live_key)
    try:
        async with kept(api, *workers):
            await until_up(f"http://127.0.0.1:{port}")
            submitting = asyncio.create_task(submit_all(storm, client))
            await blow(storm, postgres, workers, api)
            calm = time.monotonic()
            ids = await submitting
            open_then = await count_open(running)
            await until_settled(running, seconds=storm.settle_seconds - (time.monotonic() - calm))
            settled = time.monotonic() - calm
    finally:
        await client.close()
    assert len(set(ids)) == len(ids) == storm.classifications
    counts = await assert_nothing_lost_and_nothing_doubled(running, receiver, accepted=storm.classifications)
    attempts = await running.rows("SELECT max(attempt) AS most, sum(attempt) - count(*) AS again FROM classifications")
    await running.close()
    return {
        **counts,
        "open_at_the_last_fault": open_then,
        "seconds_from_last_fault_to_all_final": round(settled, 1),
        "worker_deaths": sum(slot.deaths for slot in workers),
        "api_deaths": api.deaths,
        "database_restarts": storm.restarts,
        "requests_repeated": client.repeats,
        "analyses_begun_again": int(attempts[0]["again"]),
    }


async def run(storm: Storm, settings: Settings, receiver: Receiver, **rhythms: Any) -> dict[str, Any]:
    folder = Path(tempfile.mkdtemp(prefix="pcs-storm-"))
    folder.chmod(0o755)  # noqa: ASYNC240 (once, before anything runs)
    try:
        with EmbeddedPostgres(folder) as postgres:  # durable: it is killed too
            migrate(postgres.url)
            ours = dataclasses.replace(settings, database_url=postgres.url, log_level="error", **rhythms)
            counts = await weather(storm, ours, postgres, receiver)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("\nstorm:", *(f"{name}={value}" for name, value in counts.items()))  # noqa: T201 (what a storm is for)
    assert counts["failed"] == 0
    assert counts["worker_deaths"] >= storm.worker_kills
    assert counts["api_deaths"] >= storm.api_kills
    return counts


async def test_a_breeze_loses_nothing(settings: Settings, receiver: Receiver) -> None:
    await run(BREEZE, settings, receiver, worker_heartbeat_seconds=1, worker_stalled_seconds=4, sweep_seconds=1)


@pytest.mark.storm
@pytest.mark.timeout(600)
async def test_a_storm_of_twenty_kills_and_two_database_restarts_loses_nothing(
    settings: Settings, receiver: Receiver
) -> None:
    counts = await run(FULL, settings, receiver)
    assert counts["requests_repeated"] > 0, "an API died while requests came in"
    assert counts["analyses_begun_again"] > 0, "workers died while they analysed"
