"""Whether accepting and polling cost more as classifications pile up, and what a second API process adds.

Processor time decides, PostgreSQL's included: a busy machine moves it less than the clock on the wall.
`BENCH_ROWS=1000000` adds a size; loading it takes minutes."""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections.abc import Callable, Iterator
from itertools import cycle

import psycopg

from benchmarks.cpu import cpu_seconds, postgres_pids
from benchmarks.installation import CUSTOMERS, Installation, Process, installation
from benchmarks.load import drive, request
from benchmarks.requests import WIRE_BODY
from benchmarks.table import Figure
from pcs.base.telemetry import configure_logging

SIZES = (10_000, 100_000, *(int(size) for size in os.environ.get("BENCH_ROWS", "").split(",") if size))
SECONDS = 3.0
ROUNDS = 3
GROWTH = 1.3  # how much dearer the largest may be than the smallest: the depth of indexes, and noise

PRODUCTS = """
    INSERT INTO products (id, organization_id, environment, name, identifier, created_at)
    SELECT 'product_' || lpad(n::text, 26, '0'), o.id, 'live', 'Goods', 'SKU-' || n, now()
      FROM generate_series(1, %(customers)s::int) n
      JOIN (SELECT id, row_number() OVER (ORDER BY id) AS place FROM organizations) o ON o.place = n
"""
FILL = """
    INSERT INTO classifications (id, organization_id, environment, product_id, schedule, status, product_name,
        product_identifier, created_at, started_at, completed_at, processing_time_ms, result)
    SELECT 'clf_' || lpad(n::text, 26, '0'), p.organization_id, 'live', p.id,
        CASE n %% 2 WHEN 0 THEN 'US-HTS' ELSE 'EU-CN' END, 'completed', 'Goods number ' || n, 'SKU-' || n,
        now() - make_interval(secs => 2000000 - n), now(), now() - make_interval(secs => 2000000 - n), 5 + n %% 90,
        jsonb_build_object(
            'version', 1, 'schedule_revision', '2026', 'code', lpad((n::bigint * 7919 %% 99999999)::text, 8, '0'),
            'description', 'Goods > of a kind', 'confidence', 0.7,
            'reasoning', repeat('Because of the terms of the heading. ', 12))
      FROM generate_series(%(first)s::int, %(last)s::int) n
      JOIN products p ON p.id = 'product_' || lpad((1 + n %% %(customers)s::int)::text, 26, '0')
"""
_LEDGER = """
    INSERT INTO credit_entries
    SELECT id, organization_id, environment, 1, created_at FROM classifications
     WHERE id BETWEEN 'clf_' || lpad(%(first)s::int::text, 26, '0') AND 'clf_' || lpad(%(last)s::int::text, 26, '0')
"""


def figures() -> Iterator[Figure]:
    """Each size, then two processes."""
    configure_logging("warning")
    yield from asyncio.run(_measure())


async def _measure() -> list[Figure]:
    found: list[Figure] = []
    async with installation() as inst:
        api = inst.serve()
        smallest: tuple[float, float] | None = None
        stored = 0
        for size in SIZES:
            took = _fill(inst, stored + 1, size)
            stored = size
            accept, get = await _costs(inst, api)
            smallest = smallest or (accept, get)
            for what, cost, least in (("accept", accept, smallest[0]), ("GET", get, smallest[1])):
                bound = least * GROWTH if size != SIZES[0] else None
                found.append(Figure(f"{what}, {size:,} stored, processor time", cost, "ms", cost / least, bound))
            limited = await _cost_with_a_limit(inst, api)
            bound = accept * GROWTH
            what = f"accept with a credit limit, {size:,} stored, processor time"
            found.append(Figure(what, limited, "ms", limited / accept, bound))
            found.append(Figure(f"loading up to {size:,} took", took, "s"))
        found += await _processes(inst, api)
    return found


def _fill(inst: Installation, first: int, last: int) -> float:
    started = time.perf_counter()
    which = {"first": first, "last": last, "customers": CUSTOMERS}
    with psycopg.connect(inst.settings.database_url, autocommit=True) as connection:
        if first == 1:
            connection.execute(PRODUCTS, which)
        connection.execute("SET synchronous_commit = off")
        connection.execute(FILL, which)
        connection.execute(_LEDGER, which)
        connection.execute("VACUUM ANALYZE")
    return time.perf_counter() - started


async def _costs(inst: Installation, api: Process) -> tuple[float, float]:
    """Milliseconds of processor time for an accepted request and for a poll of an old classification."""
    posts = inst.wires("POST", f"{api.url}/api/v1/products/classify", WIRE_BODY)
    with psycopg.connect(inst.settings.database_url) as connection:
        ids = dict(connection.execute("SELECT organization_id, min(id) FROM classifications GROUP BY 1").fetchall())
    gets = [
        request("GET", f"{api.url}/api/v1/classifications/{ids[tenant.organization_id]}", inst.headers(customer))
        for customer, tenant in enumerate(inst.tenants)
    ]
    turns = cycle(gets)
    accepts, polls = [], []
    for _ in range(ROUNDS):
        accepts.append(await cost(inst, api, posts, 202))
        polls.append(await cost(inst, api, lambda: next(turns), 200))
    return statistics.median(accepts), statistics.median(polls)


async def _cost_with_a_limit(inst: Installation, api: Process) -> float:
    """The same for accepted requests of organizations that have a limit, whose ledgers hold all that is stored."""
    wires = inst.wires("POST", f"{api.url}/api/v1/products/classify", WIRE_BODY)
    with psycopg.connect(inst.settings.database_url, autocommit=True) as connection:
        connection.execute("UPDATE organizations SET credit_limit = 2000000000")
        costs = [await cost(inst, api, wires, 202) for _ in range(ROUNDS)]
        connection.execute("UPDATE organizations SET credit_limit = NULL")
        connection.execute("DELETE FROM credit_balances")
    return statistics.median(costs)


async def cost(
    inst: Installation, api: Process, wires: Callable[[], bytes], status: int, *, seconds: float = SECONDS
) -> float:
    """Milliseconds of processor time for a request, PostgreSQL's included."""
    pids = [api.child.pid, *postgres_pids(inst.settings.data_dir)]
    await drive(api.url, wires, status=status, seconds=0.5)
    before = cpu_seconds(pids)
    load = await drive(api.url, wires, status=status, seconds=seconds)
    assert not load.wrong, load.wrong[0]
    return (cpu_seconds(pids) - before) / len(load.times) * 1000


async def _processes(inst: Installation, first: Process) -> list[Figure]:
    """Accepted requests a second with one API process, and with two on the same database, in turns."""
    second = inst.serve()
    one, two = [], []
    wires = {api.url: inst.wires("POST", f"{api.url}/api/v1/products/classify", WIRE_BODY) for api in (first, second)}
    for _ in range(ROUNDS):
        one.append((await drive(first.url, wires[first.url], status=202, seconds=SECONDS)).per_second)
        both = await asyncio.gather(
            *(drive(api.url, wires[api.url], status=202, seconds=SECONDS) for api in (first, second))
        )
        two.append(sum(load.per_second for load in both))
    ratio = statistics.median(double / single for single, double in zip(one, two, strict=True))
    return [
        Figure("accept, one API process", statistics.median(one), "a second"),
        Figure("accept, two API processes", statistics.median(two), "a second", ratio),
    ]
