"""A hundred thousand stored codes compared with a new revision, and what requests take meanwhile.

The trap: revisions of a few lines, which anything compares at once. `BENCH_REVISIONS=before.json.gz,after.json.gz`
takes published files of the HTS; without them both are of the starter schedule, every third line of it reworded."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psycopg

from benchmarks.installation import CUSTOMERS, Installation, installation
from benchmarks.load import Load, drive, request
from benchmarks.requests import WIRE_BODY
from benchmarks.table import Figure
from pcs.base.telemetry import configure_logging
from pcs.schedules.library import Library
from pcs.schedules.store import write_pointer, write_revision
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Schedule
from pcs.tariff.sources.files import read_schedule

US = ScheduleName.US_HTS
STORED = int(os.environ.get("BENCH_STORED", "100000"))
_LIMIT = 30.0
_A_SECOND = (
    20.0  # requests of each kind, on schedule: at full load every part waits for the processor, whatever it does
)
_WAIT = 120.0

_PRODUCTS = """
    INSERT INTO products (id, organization_id, environment, name, identifier, created_at)
    SELECT 'product_' || lpad(n::text, 26, '0'), o.id, 'live', 'Goods', 'SKU-' || n, now()
      FROM generate_series(1, %(stored)s::int) n
      JOIN (SELECT id, row_number() OVER (ORDER BY id) AS place FROM organizations) o
        ON o.place = 1 + n %% %(customers)s::int
"""
_FILL = """
    INSERT INTO classifications (id, organization_id, environment, product_id, schedule, status, product_name,
        product_identifier, created_at, started_at, completed_at, processing_time_ms, result)
    SELECT 'clf_' || lpad(n::text, 26, '0'), p.organization_id, 'live', p.id, 'US-HTS', 'completed',
        'Goods number ' || n, 'SKU-' || n, now(), now(), now(), 5,
        jsonb_build_object(
            'version', 1, 'schedule_revision', %(revision)s::text,
            'code', (%(codes)s::text[])[1 + n %% array_length(%(codes)s::text[], 1)],
            'description', 'Goods > of a kind', 'confidence', 0.7,
            'reasoning', repeat('Because of the terms of the heading. ', 12))
      FROM generate_series(1, %(stored)s::int) n
      JOIN products p ON p.id = 'product_' || lpad(n::text, 26, '0')
"""


def figures() -> Iterator[Figure]:
    """The comparison, and polls and accepted requests before and meanwhile."""
    configure_logging("warning")
    yield from asyncio.run(_measure())


async def _measure() -> list[Figure]:
    async with installation(workers=1, sweep_seconds=1.0) as inst:
        before, after = _revisions(inst)
        keys = [write_revision(inst.settings.data_dir, each).key for each in (before, after)]
        write_pointer(inst.settings.data_dir, US, keys[:1])
        _fill(inst, before)
        api = inst.serve()
        inst.work()
        await _until(inst, 1)
        wires = _gets(inst, api.url), inst.wires("POST", f"{api.url}/api/v1/products/classify", WIRE_BODY)
        calm = [
            await drive(api.url, one, status=status, seconds=3.0, rate=_A_SECOND)
            for one, status in zip(wires, (200, 202), strict=True)
        ]
        write_pointer(inst.settings.data_dir, US, keys[::-1])
        comparing = asyncio.create_task(_until(inst, 2))
        meanwhile = [Load(), Load()]
        while not comparing.done():
            for place, status in enumerate((200, 202)):
                part = await drive(api.url, wires[place], status=status, seconds=1.0, rate=_A_SECOND)
                meanwhile[place].times.extend(part.times)
                assert not part.wrong, part.wrong[0]
        return _figures(*await comparing, calm, meanwhile)


def _revisions(inst: Installation) -> tuple[Schedule, Schedule]:
    given = os.environ.get("BENCH_REVISIONS", "")
    if given:
        before, after = (read_schedule(Path(file)) for file in given.split(","))
        return before, after
    starter = Library(inst.settings.data_dir).schedule(US)
    nodes = tuple(replace(node, text=f"{node.text}*") if node.index % 3 == 0 else node for node in starter.nodes)
    old, new = (replace(starter.revision, edition=name, digest=name * 8) for name in ("2026-rev-1", "2026-rev-2"))
    return Schedule(old, starter.nodes), Schedule(new, nodes)


def _fill(inst: Installation, revision: Schedule) -> None:
    codes = [str(line.code) for line in revision.lines]
    arguments = {"stored": STORED, "customers": CUSTOMERS, "codes": codes, "revision": revision.revision.name}
    with psycopg.connect(inst.settings.database_url, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")
        connection.execute(_PRODUCTS, arguments)
        connection.execute(_FILL, arguments)
        connection.execute("VACUUM ANALYZE")


def _gets(inst: Installation, url: str) -> Callable[[], bytes]:
    with psycopg.connect(inst.settings.database_url) as connection:
        rows = connection.execute("SELECT organization_id, min(id) FROM classifications GROUP BY 1").fetchall()
    ids: dict[str, str] = dict(rows)
    own = inst.tenants[0].organization_id
    wire = request("GET", f"{url}/api/v1/classifications/{ids[own]}", inst.headers(0))
    return lambda: wire


async def _until(inst: Installation, finished: int) -> tuple[float, int, int]:
    """Wait for a comparison; its seconds from the notice to the end, how many were told, and of how many answers."""
    deadline = time.monotonic() + _WAIT
    query = (
        "SELECT extract(epoch FROM finished_at - noticed_at) FROM schedule_comparisons WHERE finished_at IS NOT NULL"
    )
    told = """
        SELECT count(DISTINCT organization_id), coalesce(sum(n.value::int), 0)
          FROM outdated_answers, jsonb_each_text(counts) n
    """
    while True:
        async with await psycopg.AsyncConnection.connect(inst.settings.database_url) as connection:
            found = await (await connection.execute(query)).fetchall()
            if len(found) >= finished:
                counted = await (await connection.execute(told)).fetchone()
                return float(found[-1][0]), *(counted or (0, 0))
        if time.monotonic() > deadline:
            raise TimeoutError(inst.log.read_text(encoding="utf-8")[-2000:])
        await asyncio.sleep(0.2)


def _figures(seconds: float, tenants: int, answers: int, calm: list[Load], meanwhile: list[Load]) -> list[Figure]:
    found = [
        Figure(f"{STORED:,} stored codes compared with a new revision and told", seconds, "s", limit=_LIMIT),
        Figure(f"changed codes told to {tenants} organizations", answers, "answers", least=1),
    ]
    for what, before, now in zip(("poll", "accept"), calm, meanwhile, strict=True):
        for share, name in ((0.5, "median"), (0.99, "slowest hundredth")):
            ratio = now.percentile(share) / before.percentile(share)
            found.append(Figure(f"{what} meanwhile, {name}", now.percentile(share), "ms", ratio))
    return found
