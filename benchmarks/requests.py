"""Accepting and polling: against the same SQL without HTTP, against bare routes, and against the peer, side by side.

The trap: one after the other on a noisy machine; all of them are measured in turns, and a ratio is the median of the
turns' ratios."""

from __future__ import annotations

import asyncio
import json
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import cycle

import httpx2

from benchmarks.cpu import children, cpu_seconds, postgres_pids
from benchmarks.floors.sql import Step, recorded, replay
from benchmarks.installation import CUSTOMERS, Installation, Process, free_port, installation, until_answers
from benchmarks.load import Load, drive, request
from benchmarks.peers.run import Peer, peer
from benchmarks.table import Figure
from pcs.base.telemetry import configure_logging
from pcs.base.tenancy import Environment
from pcs.http.app import create_app

TURNS = 5
SECONDS = 2.0
BODY = {
    "product": {
        "name": "Men's cotton T-shirt",
        "description": "Knitted, 100% cotton, short sleeves, crew neck",
        "identifier": "SKU-1042",
        "country_of_origin": "BD",
    },
    "schedules": ["US-HTS", "EU-CN"],
}
WIRE_BODY = json.dumps(BODY).encode()


@dataclass(slots=True)
class Contestant:
    """What is measured in turns: requests a second, and milliseconds of processor time for each."""

    measure: Callable[[], object]
    pids: Callable[[], list[int]]
    rates: list[float] = field(default_factory=list)
    medians: list[float] = field(default_factory=list)
    lates: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


def figures() -> Iterator[Figure]:
    """Accept, then GET, each with its floors."""
    configure_logging("warning")
    measured = asyncio.run(_measure())
    accept, sql, bare = measured["accept"], measured["accept sql"], measured["accept bare"]
    yield Figure("accept (POST classify, 2 schedules)", statistics.median(accept.rates), "a second")
    yield Figure("accept, median", statistics.median(accept.medians), "ms")
    yield Figure("accept, 99th percentile", statistics.median(accept.lates), "ms")
    yield Figure("accept, processor time with PostgreSQL's", statistics.median(accept.cpu), "ms")
    yield Figure(
        "the same SQL without HTTP", statistics.median(sql.rates), "a second", _ratio(accept, sql), least_ratio=0.7
    )
    yield Figure("a bare FastAPI route", statistics.median(bare.rates), "a second", _ratio(accept, bare))
    if "accept peer" in measured:
        other = measured["accept peer"]
        rate = statistics.median(other.rates)
        yield Figure(
            "the peer (FastAPI, Celery, Redis) accepts", rate, "a second", _ratio(accept, other), least_ratio=1.0
        )
        yield Figure("the peer's accept, median", statistics.median(other.medians), "ms")
        yield Figure("the peer's accept, processor time", statistics.median(other.cpu), "ms")
    else:
        yield Figure("the peer: not measured, no redis-server here", 0.0, "a second")
    get, bare = measured["get"], measured["get bare"]
    yield Figure("GET a completed classification", statistics.median(get.rates), "a second")
    whole = statistics.median(measured["get whole"].rates)
    yield Figure("GET, put together each time (?expand=steps)", whole, "a second")
    yield Figure("GET, median", statistics.median(get.medians), "ms")
    yield Figure("GET, processor time with PostgreSQL's", statistics.median(get.cpu), "ms")
    yield Figure(
        "the same SQL without HTTP",
        statistics.median(measured["get sql"].rates),
        "a second",
        _ratio(get, measured["get sql"]),
    )
    yield Figure(
        "one SELECT behind a bare route", statistics.median(bare.rates), "a second", _ratio(get, bare), least_ratio=0.5
    )


def _ratio(ours: Contestant, floor: Contestant) -> float:
    return statistics.median(mine / other for mine, other in zip(ours.rates, floor.rates, strict=True))


async def _measure() -> dict[str, Contestant]:
    async with installation() as inst:
        api = inst.serve()
        bare = inst.spawn("-m", "benchmarks.floors.routes", str(port := free_port()))
        bare.url = f"http://127.0.0.1:{port}"
        until_answers(f"{bare.url}/health", inst.log)
        polls = await completed(inst, api)
        posts, gets = await _recordings(inst, polls)
        contestants = _contestants(inst, api, bare, polls, posts, gets)
        if shutil.which("redis-server") is None:
            return await _in_turns(contestants)
        with peer(inst) as other:
            contestants["accept peer"] = _peer(inst, other)
            return await _in_turns(contestants)


def _contestants(  # noqa: PLR0917 (one place that lines them all up)
    inst: Installation,
    api: Process,
    bare: Process,
    polls: list[str],
    posts: list[list[Step]],
    gets: list[list[Step]],
) -> dict[str, Contestant]:
    database = inst.settings.database_url
    folder = inst.settings.data_dir
    accept = inst.wires("POST", f"{api.url}/api/v1/products/classify", WIRE_BODY)
    get = _turns(request("GET", api.url + poll, inst.headers(customer)) for customer, poll in enumerate(polls))
    whole = _turns(
        request("GET", f"{api.url}{poll}?expand=steps", inst.headers(customer)) for customer, poll in enumerate(polls)
    )
    bare_accept = _turns([request("POST", f"{bare.url}/classify", {}, WIRE_BODY)])
    bare_get = _turns(request("GET", bare.url + poll.removeprefix("/api/v1"), {}) for poll in polls)

    def ours() -> list[int]:
        return [api.child.pid, *postgres_pids(folder)]

    def bares() -> list[int]:
        return [bare.child.pid, *postgres_pids(folder)]

    def nobody() -> list[int]:
        return []

    return {
        "accept": Contestant(lambda: drive(api.url, accept, status=202, seconds=SECONDS), ours),
        "accept sql": Contestant(lambda: replay(database, posts, seconds=SECONDS), nobody),
        "accept bare": Contestant(lambda: drive(bare.url, bare_accept, status=202, seconds=SECONDS), bares),
        "get": Contestant(lambda: drive(api.url, get, status=200, seconds=SECONDS), ours),
        "get whole": Contestant(lambda: drive(api.url, whole, status=200, seconds=SECONDS), ours),
        "get sql": Contestant(lambda: replay(database, gets, seconds=SECONDS), nobody),
        "get bare": Contestant(lambda: drive(bare.url, bare_get, status=200, seconds=SECONDS), bares),
    }


def _peer(inst: Installation, other: Peer) -> Contestant:
    wires = _turns([request("POST", f"{other.api.url}/classify", other.headers, WIRE_BODY)])

    def pids() -> list[int]:
        return [*children(other.api.child.pid), other.redis.child.pid, *postgres_pids(inst.settings.data_dir)]

    return Contestant(lambda: drive(other.api.url, wires, status=202, seconds=SECONDS), pids)


def _turns(wires: object) -> Callable[[], bytes]:
    turns = cycle(list(wires))  # type: ignore[call-overload]
    return lambda: next(turns)


async def _in_turns(contestants: dict[str, Contestant]) -> dict[str, Contestant]:
    for turn in range(TURNS + 1):
        for name, one in contestants.items():
            before = cpu_seconds(one.pids())
            load: Load = await one.measure()  # type: ignore[misc]
            assert not load.wrong, (name, load.wrong[0])
            if turn:  # the first only warms up
                one.rates.append(load.per_second)
                one.medians.append(load.percentile(0.5))
                one.lates.append(load.percentile(0.99))
                one.cpu.append((cpu_seconds(one.pids()) - before) / len(load.times) * 1000)
        print(f"  turn {turn} of {TURNS}", file=sys.stderr, flush=True)
    return contestants


async def completed(inst: Installation, api: Process) -> list[str]:
    """Where a completed classification of each customer is polled."""
    worker = inst.work()
    polls = []
    async with httpx2.AsyncClient(base_url=api.url, trust_env=False, timeout=30) as client:
        for customer in range(CUSTOMERS):
            answer = await client.post("/api/v1/products/classify", json=BODY, headers=inst.headers(customer))
            polls.append(answer.json()["classifications"][0]["poll_url"])
        deadline = time.monotonic() + 120
        for customer, poll in enumerate(polls):
            while (await client.get(poll, headers=inst.headers(customer))).json()["status"] != "completed":
                assert time.monotonic() < deadline, "the worker does not finish"
                await asyncio.sleep(0.1)
    inst.stop(worker)
    return polls


async def _recordings(inst: Installation, polls: list[str]) -> tuple[list[list[Step]], list[list[Step]]]:
    """The SQL of an accepted request and of a poll, for each customer."""
    posts, gets = [], []
    transport = httpx2.ASGITransport(create_app(inst.service, Environment.LIVE))
    async with httpx2.AsyncClient(transport=transport, base_url="http://bench") as client:
        for customer, poll in enumerate(polls):
            headers = inst.headers(customer)
            await client.post(
                "/api/v1/products/classify", json=BODY, headers=headers
            )  # a first one notes the key's use
            with recorded() as steps:
                await client.post("/api/v1/products/classify", json=BODY, headers=headers)
            posts.append(steps)
            await client.get(poll, headers=headers)  # a first one puts the answer together
            with recorded() as steps:
                await client.get(poll, headers=headers)
            gets.append(steps)
    return posts, gets
