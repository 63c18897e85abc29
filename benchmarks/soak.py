"""`make soak`: ten minutes at half the measured capacity, with polls and webhooks; ends with 1 where anything grows.

The trap: a run that is too short or too idle to leak. Capacity is what one worker finishes while a heap waits; half of
that is asked for, on schedule, whether or not the service keeps up. `python -m benchmarks.soak 60` takes a minute."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import statistics
import sys
import time
from dataclasses import dataclass, field

import httpx2
from sqlalchemy import text

from benchmarks.engine import products
from benchmarks.installation import CUSTOMERS, Installation, Process, installation, until_answers
from benchmarks.load import Load, drive, request
from benchmarks.work import Receiver
from pcs.base.telemetry import configure_logging

MINUTES = 10.0
_EVERY = 10.0
_HEAP = 600
_MOST_MEMORY_MIB = 15.0  # growth of a process from its third minute on
_MOST_WAITING = 50


@dataclass(slots=True)
class Sample:
    """One look at the running service."""

    second: float
    waiting: int
    memory: dict[str, float]
    busy: float


@dataclass(slots=True)
class Soak:
    """What came of it."""

    rate: float
    samples: list[Sample] = field(default_factory=list)
    posts: Load = field(default_factory=Load)
    polls: Load = field(default_factory=Load)
    waits: list[float] = field(default_factory=list)
    failed: int = 0
    webhooks: int = 0
    errors_logged: int = 0


async def soak(seconds: float) -> Soak:
    """Run it."""
    configure_logging("warning")
    receiver = Receiver()
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0)
    receiver.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    async with installation(workers=1) as inst:
        api, worker = inst.serve(), inst.work()
        until_answers(f"{api.url}/ready", inst.log)
        capacity = await _capacity(inst, api)
        print(f"capacity {capacity:.0f} classifications a second with one worker", file=sys.stderr, flush=True)
        found = Soak(rate=capacity / 2)
        began = len(receiver.arrivals)
        watching = asyncio.create_task(_watch(inst, {"api": api, "worker": worker}, found))
        await _load(inst, api, receiver, found, seconds)
        watching.cancel()
        await _until_final(inst)
        await _read_back(inst, found)
        found.webhooks = len(receiver.arrivals) - began
        log = inst.log.read_text(encoding="utf-8", errors="replace")
        found.errors_logged = log.count('"level": "error"')
    server.close()
    return found


async def _capacity(inst: Installation, api: Process) -> float:
    """Classifications that one worker finishes in a second while others wait."""
    goods = [{"name": one.name[:500], "description": one.description} for one in products()[:100]]
    body = {"products": goods, "schedules": ["US-HTS", "EU-CN"]}
    async with httpx2.AsyncClient(base_url=api.url, trust_env=False, timeout=60) as client:
        for customer in range(_HEAP // 200):
            await client.post("/api/v1/classifications/bulk", json=body, headers=inst.headers(customer))
    before, started = await _open(inst), time.perf_counter()
    await _until_final(inst)
    return before / (time.perf_counter() - started)


async def _load(inst: Installation, api: Process, receiver: Receiver, found: Soak, seconds: float) -> None:
    """Single requests for one schedule each, with a webhook, and as many polls of what was accepted."""
    goods = itertools.cycle(products())
    customers = itertools.cycle(range(CUSTOMERS))
    accepted: list[tuple[int, str]] = [(0, "/api/v1/me")]
    owner = 0

    def post() -> bytes:
        nonlocal owner
        owner = next(customers)
        one = next(goods)
        product = {"name": one.name[:500], "description": one.description}
        body = {"product": product, "schedules": ["US-HTS"], "options": {"webhook_url": receiver.url}}
        url = f"{api.url}/api/v1/products/classify"
        return request("POST", url, inst.headers(owner), json.dumps(body).encode())

    def poll() -> bytes:
        customer, path = accepted[-1]
        return request("GET", api.url + path, inst.headers(customer))

    def note(body: bytes) -> None:
        answer = json.loads(body)
        accepted.append((owner, answer["classifications"][0]["poll_url"]))
        del accepted[:-50]

    found.posts, found.polls = await asyncio.gather(
        drive(api.url, post, status=202, seconds=seconds, connections=1, rate=found.rate, answered=note),
        drive(api.url, poll, status=200, seconds=seconds, connections=2, rate=found.rate),
    )


async def _watch(inst: Installation, processes: dict[str, Process], found: Soak) -> None:
    started = time.perf_counter()
    while True:
        memory = {name: process.memory for name, process in processes.items()}
        found.samples.append(Sample(time.perf_counter() - started, await _open(inst), memory, os.getloadavg()[0]))
        await asyncio.sleep(_EVERY)


async def _open(inst: Installation) -> int:
    query = text("SELECT count(*) FROM classifications WHERE status IN ('pending', 'processing')")
    async with inst.service.database.autocommit() as connection:
        counted: int = (await connection.execute(query)).scalar_one()
        return counted


async def _until_final(inst: Installation) -> None:
    async with asyncio.timeout(600):
        while await _open(inst):  # noqa: ASYNC110 (the database sets no event)
            await asyncio.sleep(0.1)
    await asyncio.sleep(2)  # the last webhooks


async def _read_back(inst: Installation, found: Soak) -> None:
    """How long each waited for its analysis, in the order accepted, and how many failed by a fault."""
    waits = text(
        "SELECT extract(epoch FROM started_at - created_at) FROM classifications"
        " WHERE webhook_url IS NOT NULL ORDER BY id"
    )
    failed = text(
        "SELECT count(*) FROM classifications WHERE status = 'failed' AND error_code <> 'INSUFFICIENT_INFORMATION'"
    )
    async with inst.service.database.autocommit() as connection:
        found.waits = [float(wait) * 1000 for wait in (await connection.execute(waits)).scalars()]
        found.failed = (await connection.execute(failed)).scalar_one()


def report(found: Soak) -> tuple[str, bool]:
    """A Markdown table, and whether nothing failed or grew."""
    third = len(found.samples) // 3
    early, late = found.samples[third : 2 * third], found.samples[2 * third :]
    rows: list[tuple[str, str, bool]] = [
        (f"accepted at {found.rate:.1f} a second", str(len(found.posts.times)), True),
        ("answers other than 202 and 200", str(len(found.posts.wrong) + len(found.polls.wrong)), _none(found)),
        ("classifications failed by a fault", str(found.failed), found.failed == 0),
        ("errors in the logs", str(found.errors_logged), found.errors_logged == 0),
        ("webhooks received", str(found.webhooks), found.webhooks >= len(found.posts.times)),
    ]
    for name in found.samples[0].memory:
        then = statistics.median(sample.memory[name] for sample in early)
        now = statistics.median(sample.memory[name] for sample in late)
        shown = f"{then:.0f}, {now:.0f}"
        rows.append((f"memory of {name}, second and last third, MiB", shown, now - then <= _MOST_MEMORY_MIB))
    waiting = [max(sample.waiting for sample in part) for part in (early, late)]
    rows.append(("most waiting, second and last third", f"{waiting[0]}, {waiting[1]}", waiting[1] <= _MOST_WAITING))
    for name, times in (("accept", found.posts.times), ("poll", found.polls.times), ("queue latency", None)):
        values = found.waits if times is None else [one * 1000 for one in times]
        parts = [values[len(values) // 3 : 2 * len(values) // 3], values[2 * len(values) // 3 :]]
        medians = [statistics.median(part) for part in parts]
        lates = [sorted(part)[int(len(part) * 0.99)] for part in parts]
        shown = f"{medians[0]:.1f}, {medians[1]:.1f}; 99th percentile {lates[0]:.0f}, {lates[1]:.0f}"
        rows.append((f"{name}, median of second and last third, ms", shown, medians[1] <= 2 * medians[0] + 5))
    busy = [sample.busy for sample in found.samples]
    rows.append(("load of the machine (its own two cores shared)", f"{min(busy):.1f} to {max(busy):.1f}", True))
    table = ["| what | value | |", "|---|---|---|"]
    table += [f"| {what} | {value} | {'holds' if holds else '**missed**'} |" for what, value, holds in rows]
    return "\n".join(table), all(holds for _, _, holds in rows)


def _none(found: Soak) -> bool:
    return not found.posts.wrong and not found.polls.wrong


if __name__ == "__main__":
    lasting = float(sys.argv[1]) if len(sys.argv) > 1 else MINUTES * 60
    outcome = asyncio.run(soak(lasting))
    shown, good = report(outcome)
    print(shown)
    sys.exit(0 if good else 1)
