"""What happens after a request is accepted: batches, the queue's latency, webhooks; memory, start-up; the peer's batch.

The trap: measuring analyses with nothing else running; both APIs, a worker and a receiver run here, as with `pcs up`
on two cores."""

from __future__ import annotations

import asyncio
import datetime as dt
import shutil
import statistics
import time
from collections.abc import Iterator
from typing import Any

import httpx2
from sqlalchemy import text

from benchmarks.engine import products
from benchmarks.installation import CUSTOMERS, Installation, Process, free_port, installation, until_answers
from benchmarks.peers.run import peer
from benchmarks.requests import BODY
from benchmarks.table import Figure
from pcs.base.telemetry import configure_logging
from pcs.webhooks import service as webhooks
from pcs.webhooks.model import Event, EventType
from pcs.wire.events import WebhookTest

_SENDS = 400
_SINGLES = 30
_LIMIT_SECONDS = 300.0


class Receiver:
    """A webhook receiver that answers 200 at once and remembers when each request came."""

    def __init__(self) -> None:
        self.arrivals: list[float] = []
        self.bodies: list[bytes] = []
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        self.bodies.append(await reader.readexactly(length))
        self.arrivals.append(time.perf_counter())
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async def until(self, number: int) -> None:
        """Wait for so many requests."""
        async with asyncio.timeout(_LIMIT_SECONDS):
            while len(self.arrivals) < number:  # noqa: ASYNC110 (nothing sets an event)
                await asyncio.sleep(0.005)


def figures() -> Iterator[Figure]:
    """Everything, on one installation after the other."""
    configure_logging("warning")
    yield from asyncio.run(_measure())


async def _measure() -> list[Figure]:
    receiver = Receiver()
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0)
    receiver.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    found: list[Figure] = []
    async with installation(workers=1) as inst:
        api = inst.serve()
        sandbox = inst.spawn("-m", "pcs.cli.main", "serve", "--environment", "test", "--port", str(free_port()))
        idle = api.memory
        started = time.perf_counter()
        worker = inst.work()
        until_answers(f"{api.url}/ready", inst.log)
        found += [
            Figure("start-up: an API until it answers", api.start_seconds, "s"),
            Figure("start-up: a worker until it works", time.perf_counter() - started, "s"),
        ]
        async with httpx2.AsyncClient(base_url=api.url, trust_env=False, timeout=60) as client:
            found.append(await _idle_latency(inst, client))
            ours = await batch(client, inst.headers(1), receiver, "/api/v1/classifications/bulk")
            found.append(Figure("bulk 100 x 2, from POST to batch.completed", ours, "s", limit=10))
            found += await _busy_latency(inst, client)
        found.append(await _sends(inst, receiver))
        found += [
            Figure("memory of an API, idle", idle, "MiB"),
            Figure("memory of an API after this", api.memory, "MiB"),
            Figure("memory of a worker after this", worker.memory, "MiB", limit=400e6 / 2**20),
        ]
        inst.stop(sandbox, worker)
        if shutil.which("redis-server"):
            found.append(await _peers_batch(inst, receiver, ours))
    server.close()
    return found


async def _idle_latency(inst: Installation, client: httpx2.AsyncClient) -> Figure:
    """From acceptance to the start of the analysis, one at a time, pauses between."""
    for _ in range(_SINGLES):
        await client.post("/api/v1/products/classify", json=BODY | {"schedules": ["US-HTS"]}, headers=inst.headers(0))
        await asyncio.sleep(0.3)
    await until_final(inst)
    waits = await waited(inst, inst.tenants[0].organization_id)
    return Figure("queue latency, idle, median", statistics.median(waits), "ms", limit=30)


async def _busy_latency(inst: Installation, client: httpx2.AsyncClient) -> list[Figure]:
    """With a thousand of one customer waiting: how long another's single requests wait, and its own."""
    for _ in range(5):
        body = {"products": _goods(), "schedules": ["US-HTS", "EU-CN"]}
        await client.post("/api/v1/classifications/bulk", json=body, headers=inst.headers(2))
    for customer in (3, 4):
        for _ in range(5):
            await client.post("/api/v1/products/classify", json=BODY, headers=inst.headers(customer))
    began = time.perf_counter()
    await until_final(inst)
    took = time.perf_counter() - began
    others = [wait for customer in (3, 4) for wait in await waited(inst, inst.tenants[customer].organization_id)]
    return [
        Figure("queue latency of others with 1,000 of one customer waiting, median", statistics.median(others), "ms"),
        Figure("analyses a second, one worker, 1,000 waiting", 1000 / took, "a second"),
    ]


async def batch(client: httpx2.AsyncClient, headers: dict[str, str], receiver: Receiver, path: str) -> float:
    """Seconds from sending a batch of 100 x 2 to the arrival of its webhook."""
    options: dict[str, Any] = {"options": {"webhook_url": receiver.url}, "webhook_url": receiver.url}
    seen = len(receiver.arrivals)
    started = time.perf_counter()
    body = {"products": _goods(), "schedules": ["US-HTS", "EU-CN"], **options}
    answer = await client.post(path, json=body, headers=headers)
    assert answer.status_code == 202, answer.text
    async with asyncio.timeout(_LIMIT_SECONDS):
        while not any(b'"batch.completed"' in one for one in receiver.bodies[seen:]):  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    return receiver.arrivals[-1] - started


def _goods() -> list[dict[str, str]]:
    return [
        {"name": goods.name[:500], "description": goods.description, "identifier": f"SKU-{number}"}
        for number, goods in enumerate(products()[:100])
    ]


async def _sends(inst: Installation, receiver: Receiver) -> Figure:
    """Deliveries a second to a local receiver, from the first arrival to the last."""
    seen = len(receiver.arrivals)
    now = dt.datetime.now(dt.UTC)
    async with inst.service.database.begin() as transaction:
        for number in range(_SENDS):
            tenant = inst.tenants[number % CUSTOMERS]
            body = WebhookTest.of(tenant.environment, now=now).rendered()
            event = Event(tenant, EventType.WEBHOOK_TEST, f"bench_{number}", body)
            await webhooks.emit(transaction, tenant, [(event, receiver.url)], now=now)
    await receiver.until(seen + _SENDS)
    return Figure(
        "webhook sends, one worker", (_SENDS - 1) / (receiver.arrivals[-1] - receiver.arrivals[seen]), "a second"
    )


async def _peers_batch(inst: Installation, receiver: Receiver, ours: float) -> Figure:
    with peer(inst) as other:
        worker: Process = other.work(concurrency=2)
        async with httpx2.AsyncClient(base_url=other.api.url, trust_env=False, timeout=60) as client:
            await batch(client, other.headers, receiver, "/bulk")  # its schedules are open after this
            took = await batch(client, other.headers, receiver, "/bulk")
        inst.stop(worker)
    return Figure("the peer's bulk 100 x 2 (two processes), and how often ours goes into it", took, "s", took / ours)


async def waited(inst: Installation, organization_id: str) -> list[float]:
    """Milliseconds from each of an organization's acceptances to the start of its analysis."""
    query = text("SELECT started_at - created_at FROM classifications WHERE organization_id = :id")
    async with inst.service.database.begin() as transaction:
        rows = (await transaction.execute(query, {"id": organization_id})).scalars()
        return [wait.total_seconds() * 1000 for wait in rows]


async def until_final(inst: Installation) -> None:
    """Wait until nothing is pending."""
    query = text("SELECT count(*) FROM classifications WHERE status IN ('pending', 'processing')")
    async with asyncio.timeout(_LIMIT_SECONDS):
        while True:
            async with inst.service.database.autocommit() as connection:
                if (await connection.execute(query)).scalar_one() == 0:
                    return
            await asyncio.sleep(0.05)
