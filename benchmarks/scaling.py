"""`python -m benchmarks.scaling`: what one node takes, a model of it, and the model held against the node.

The trap: a plan made of a model that nobody has checked; the model's waits stand beside measured ones at three loads
before it is asked about nodes that are not here."""

from __future__ import annotations

import asyncio
import heapq
import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle

from sqlalchemy import text

from benchmarks.cpu import cpu_seconds, postgres_pids
from benchmarks.engine import products
from benchmarks.installation import Installation, Process, installation, until_answers
from benchmarks.load import drive, request
from benchmarks.soak import _capacity, _until_final
from pcs.base.telemetry import configure_logging

SECONDS = 20.0
SHARES = (0.25, 0.5, 0.75)
NODES = (1, 2, 4, 8, 16)
NODE_CORES = 2
DATABASE_CORES = (2, 8, 32)


@dataclass(frozen=True, slots=True)
class Costs:
    """Milliseconds of processor time that one classification takes: accepted alone, polled once, analysed."""

    api: float
    worker: float
    database: float

    def node(self, cores: int) -> float:
        """Classifications a second that a node of API and workers sustains, with a database of its own beside it."""
        return cores * 1000 / (self.api + self.worker)

    def server(self, cores: int) -> float:
        """Classifications a second that one PostgreSQL server sustains."""
        return cores * 1000 / self.database


def simulate(rate: float, seconds: float, services: Sequence[float], servers: int) -> list[float]:
    """Seconds that each arrival waits for its start: evenly spaced arrivals, `servers` that take one at a time.

    `services` are the seconds that analyses were seen to take, used in turn.

    >>> simulate(2, 2, [1.0], 1)
    [0.0, 0.5, 1.0, 1.5]
    """
    free = [0.0] * servers
    waits, durations = [], cycle(services)
    for number in range(int(rate * seconds)):
        arrival = number / rate
        start = max(arrival, heapq.heappop(free))
        heapq.heappush(free, start + next(durations))
        waits.append(start - arrival)
    return waits


async def measure() -> str:
    """The report."""
    configure_logging("warning")
    lines = ["| load | model, median wait | measured | model, 99th percentile | measured |", "|---|---|---|---|---|"]
    async with installation(workers=1) as inst:
        api, worker = inst.serve(), inst.work()
        until_answers(f"{api.url}/ready", inst.log)
        capacity = await _capacity(inst, api)
        services = await _services(inst, capacity)
        for share in SHARES:
            print(f"at {share:.0%} of {capacity:.0f} a second ...", file=sys.stderr, flush=True)
            costs, seen = await _load(inst, api, worker, capacity * share)
            idle = min(seen)  # accepting, waking and claiming, which the model does not hold
            said = [wait * 1000 + idle for wait in simulate(capacity * share, SECONDS, services, 1)]
            cells = [f"{share:.0%} of {capacity:.0f} a second", _median(said), _median(seen), _late(said), _late(seen)]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", *_plan(costs)])


def _plan(costs: Costs) -> list[str]:
    """What the costs make of more nodes."""
    head = [
        (
            f"A classification takes {costs.api:.1f} ms of the API, {costs.worker:.1f} ms of a worker "
            f"and {costs.database:.1f} ms of PostgreSQL."
        ),
        "",
        "| nodes of two cores | " + " | ".join(f"PostgreSQL with {cores} cores" for cores in DATABASE_CORES) + " |",
        "|---|" + "---|" * len(DATABASE_CORES),
    ]
    rows = []
    for nodes in NODES:
        rates = [min(nodes * costs.node(NODE_CORES), costs.server(cores)) for cores in DATABASE_CORES]
        rows.append(f"| {nodes} | " + " | ".join(f"{rate:,.0f} a second" for rate in rates) + " |")
    return head + rows


async def _services(inst: Installation, capacity: float) -> list[float]:
    """Seconds that a worker is taken by each analysis: as seen, scaled to what it finishes in a second."""
    query = text("SELECT processing_time_ms FROM classifications WHERE status = 'completed'")
    async with inst.service.database.autocommit() as connection:
        seen = [max(1, value) for value in (await connection.execute(query)).scalars()]
    scale = 1 / capacity / statistics.mean(seen)
    return [value * scale for value in seen]


async def _load(inst: Installation, api: Process, worker: Process, rate: float) -> tuple[Costs, list[float]]:
    """One at a time on schedule, each polled once: what it costs and how long each waits, in milliseconds."""
    goods, customers, polls = cycle(products()), cycle(range(len(inst.keys))), [f"{api.url}/api/v1/me"]
    owner = [0]

    def post() -> bytes:
        owner.append(next(customers))
        one = next(goods)
        body = {"product": {"name": one.name[:500], "description": one.description}, "schedules": ["US-HTS"]}
        url = f"{api.url}/api/v1/products/classify"
        return request("POST", url, inst.headers(owner[-1]), json.dumps(body).encode())

    def note(body: bytes) -> None:
        polls.append(api.url + json.loads(body)["classifications"][0]["poll_url"])

    async with inst.service.database.autocommit() as connection:
        await connection.execute(text("DELETE FROM credit_entries"))
        await connection.execute(text("DELETE FROM events"))
        await connection.execute(text("DELETE FROM classifications"))
    database = postgres_pids(inst.settings.data_dir)
    groups = [api.child.pid], [worker.child.pid], database
    before = [cpu_seconds(pids) for pids in groups]
    load, _ = await asyncio.gather(
        drive(api.url, post, status=202, seconds=SECONDS, connections=1, rate=rate, answered=note),
        drive(
            api.url, lambda: request("GET", polls[-1], inst.headers(owner[-1])), status=200, seconds=SECONDS, rate=rate
        ),
    )
    await _until_final(inst)
    spent = [(cpu_seconds(pids) - was) / len(load.times) * 1000 for pids, was in zip(groups, before, strict=True)]
    query = text("SELECT extract(epoch FROM started_at - created_at) * 1000 FROM classifications")
    async with inst.service.database.autocommit() as connection:
        waits = [float(wait) for wait in (await connection.execute(query)).scalars()]
    return Costs(*spent), waits


def _median(waits: list[float]) -> str:
    return f"{statistics.median(waits):.0f} ms"


def _late(waits: list[float]) -> str:
    return f"{sorted(waits)[int(len(waits) * 0.99)]:.0f} ms"


if __name__ == "__main__":
    print(asyncio.run(measure()))
