"""What waits: a batch from its POST to its end, classifications a second through the queue, and others' turn behind a
heap of one customer. Two workers, for two cores.

The trap: a rate of a heap that drains while it is put together; the workers are held meanwhile, and go on together."""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import signal
import statistics
import time
from collections.abc import Iterator

import httpx2

from benchmarks.cpu import cpu_seconds, postgres_pids
from benchmarks.engine import products
from benchmarks.installation import Installation, Process, installation, until_answers
from benchmarks.requests import BODY
from benchmarks.table import Figure
from benchmarks.work import Receiver, batch, until_final, waited
from pcs.base.telemetry import configure_logging
from pcs.classifications import service as classifications
from pcs.classifications.model import ClassificationOptions
from pcs.products import service as stored_products
from pcs.products.model import ProductFields
from pcs.tariff.revision import ScheduleName

_BATCHES = 3
_THROUGH = 2_000
_HEAP = 100_000
_AT_ONCE = 5_000
_SINGLES = 30
BULK = "/api/v1/classifications/bulk"


def figures() -> Iterator[Figure]:
    """On one installation."""
    configure_logging("warning")
    yield from asyncio.run(_measure())


async def _measure() -> list[Figure]:
    receiver = Receiver()
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0)
    receiver.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    async with installation(workers=2) as inst:
        api = inst.serve()
        workers = [inst.work(), inst.work()]
        until_answers(f"{api.url}/ready", inst.log)
        async with httpx2.AsyncClient(base_url=api.url, trust_env=False, timeout=60) as client:
            took = [await batch(client, inst.headers(1), receiver, BULK) for _ in range(_BATCHES + 1)]
            found = [
                Figure("bulk 100 x 2 with two workers, from POST to batch.completed", _middle(took[1:]), "s", limit=3)
            ]
            found += await _through(inst, workers)
            found.append(await _behind_a_heap(inst, client))
    server.close()
    return found


async def _through(inst: Installation, workers: list[Process]) -> list[Figure]:
    with _held(workers):
        await _heap(inst, 2, _THROUGH)
        pids = {
            "a worker": [one.child.pid for one in workers],
            "PostgreSQL": postgres_pids(inst.settings.data_dir),
        }
        before = {who: cpu_seconds(theirs) for who, theirs in pids.items()}
    began = time.perf_counter()
    await until_final(inst)
    rate = _THROUGH / (time.perf_counter() - began)
    each = {who: (cpu_seconds(theirs) - before[who]) / _THROUGH * 1000 for who, theirs in pids.items()}
    return [
        Figure(f"classifications a second, two workers, {_THROUGH:,} waiting", rate, "a second", least=400),
        *(Figure(f"a classification then, processor time of {who}", taken, "ms") for who, taken in each.items()),
    ]


async def _behind_a_heap(inst: Installation, client: httpx2.AsyncClient) -> Figure:
    """How long others' single requests wait while a heap is worked on."""
    await _heap(inst, 3, _HEAP)
    for number in range(_SINGLES):
        single = {**BODY, "schedules": ["US-HTS"]}
        await client.post("/api/v1/products/classify", json=single, headers=inst.headers(4 + number % 8))
        await asyncio.sleep(0.3)
    others = [wait for one in inst.tenants[4:12] for wait in await waited(inst, one.organization_id)]
    assert len(others) == _SINGLES
    what = f"queue latency of others with {_HEAP:,} of one customer waiting, median"
    return Figure(what, _middle(others), "ms", limit=100)


async def _heap(inst: Installation, customer: int, size: int) -> None:
    """So many classifications of a customer, as a batch has them."""
    goods = [ProductFields(one.name[:500], one.description) for one in products()[:100]]
    terms = ClassificationOptions((ScheduleName.US_HTS,))
    for first in range(0, size, _AT_ONCE):
        number, now = min(_AT_ONCE, size - first), dt.datetime.now(dt.UTC)
        async with inst.service.database.begin() as transaction:
            tenant = inst.tenants[customer]
            submitted = [goods[place % len(goods)] for place in range(number)]
            created = await stored_products.create(transaction, tenant, submitted, now=now)
            await classifications.accept(transaction, tenant, created, terms, now=now)


@contextlib.contextmanager
def _held(workers: list[Process]) -> Iterator[None]:
    for one in workers:
        one.child.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for one in workers:
            one.child.send_signal(signal.SIGCONT)


def _middle(values: list[float]) -> float:
    return statistics.median(values)
