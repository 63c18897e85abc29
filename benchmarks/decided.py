"""A million decisions of one organization: what keeping them takes, and what they cost its requests and analyses
beside an organization that has none.

The trap: the organization with none measured first, on a database that is still small; both are measured in turns.
`BENCH_DECISIONS=50000` keeps fewer."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import random
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import httpx2
from rich.progress import track
from sqlalchemy import text

from benchmarks.engine import products
from benchmarks.installation import Installation, Process, installation, until_answers
from benchmarks.load import request
from benchmarks.requests import WIRE_BODY
from benchmarks.stored import cost
from benchmarks.table import Figure
from benchmarks.work import until_final
from pcs.base.telemetry import configure_logging
from pcs.decisions import service as decisions
from pcs.decisions.model import NewDecision
from pcs.decisions.standing import from_file
from pcs.products.model import ProductFields
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

_DECISIONS = int(os.environ.get("BENCH_DECISIONS", "1000000"))
_PART = 1_000
_ROUNDS = 3
_GOODS = 100
_GROWTH = 1.5
_REPEAT_MS = 5.0
_DECIDER, _OTHER = 0, 1  # the customers: one with decisions, one without


@dataclass(slots=True)
class _Side:
    """What one organization's requests and analyses took, in milliseconds: of goods that the first one decided, and of
    others near them."""

    accepts: list[float] = field(default_factory=list)
    repeats: list[float] = field(default_factory=list)
    others: list[float] = field(default_factory=list)


def figures() -> Iterator[Figure]:
    """Keeping them, then what they cost."""
    configure_logging("warning")
    yield from asyncio.run(_measure())


async def _measure() -> list[Figure]:
    async with installation(workers=1) as inst:
        codes = [line.code for line in inst.service.library.schedule(ScheduleName.US_HTS).lines if line.code]
        decided = _Decided(codes)
        rate = await _kept(inst, decided)
        api = inst.serve()
        worker = inst.work()
        until_answers(f"{api.url}/ready", inst.log)
        sides = {_DECIDER: _Side(), _OTHER: _Side()}
        right = 0
        async with httpx2.AsyncClient(base_url=api.url, trust_env=False, timeout=60) as client:
            await _analysed(inst, client, _OTHER, decided.repeated(0))  # opens the engine
            for turn in range(_ROUNDS):
                repeated, near = decided.repeated(turn), decided.near(turn)
                for customer, side in sides.items():
                    side.repeats.append(await _analysed(inst, client, customer, repeated))
                    right += await _answered(inst, customer, repeated) if customer == _DECIDER else 0
                    side.others.append(await _analysed(inst, client, customer, near))
                    print(f"  turn {turn + 1} of {_ROUNDS}, customer {customer}", file=sys.stderr, flush=True)
        inst.stop(worker)
        for _ in range(_ROUNDS):
            for customer, side in sides.items():
                side.accepts.append(await _accept(inst, api, customer))
    return _figures(rate, right, sides[_DECIDER], sides[_OTHER])


def _figures(rate: float, right: int, ours: _Side, theirs: _Side) -> list[Figure]:
    accepts, others = _ratio(ours.accepts, theirs.accepts), _ratio(ours.others, theirs.others)
    more = statistics.median(mine - other for mine, other in zip(ours.repeats, theirs.repeats, strict=True))
    asked = _ROUNDS * _GOODS
    return [
        Figure(f"decisions kept, up to {_DECISIONS:,}", rate, "a second", least=2_000),
        Figure("an analysis of goods that nobody decided", statistics.median(theirs.repeats), "ms"),
        Figure("goods decided before that got their code", 100 * right / asked, "%", least=100),
        Figure("an analysis of goods decided before takes more", more, "ms", limit=_REPEAT_MS),
        Figure("an analysis of other goods, beside none decided", others, "times", limit=_GROWTH),
        Figure("accept, processor time, beside none decided", accepts, "times", limit=_GROWTH),
    ]


def _ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    return statistics.median(mine / other for mine, other in zip(ours, theirs, strict=True))


class _Decided:
    """Goods of the pack, each many times with a number of its own, and the codes decided for them."""

    def __init__(self, codes: Sequence[Code]) -> None:
        self._codes, self._goods = codes, products()

    def all(self) -> Iterator[tuple[ProductFields, Code]]:
        """As many as are decided."""
        chosen = random.Random(3)
        for number in range(_DECISIONS):
            yield self._one(number), chosen.choice(self._codes)

    def repeated(self, turn: int) -> list[tuple[ProductFields, Code]]:
        """A hundred of the goods that are decided, with their codes."""
        return list(islice(self.all(), turn * _GOODS, (turn + 1) * _GOODS))

    def near(self, turn: int) -> list[tuple[ProductFields, Code]]:
        """A hundred that nobody decided and that differ from decided ones in their number."""
        first = _DECISIONS + turn * _GOODS
        return [(self._one(number), self._codes[0]) for number in range(first, first + _GOODS)]

    def _one(self, number: int) -> ProductFields:
        name = self._goods[number % len(self._goods)].name
        return ProductFields(f"{name[:400]} no {number}", identifier=f"SKU-{number}")


async def _kept(inst: Installation, decided: _Decided) -> float:
    """How many decisions a second are kept, as a file of them is."""
    now, library = dt.datetime.now(dt.UTC), inst.service.library
    rows = decided.all()
    started = time.perf_counter()
    for _ in track(range(0, _DECISIONS, _PART), description="keep decisions"):
        part: list[NewDecision] = [
            from_file(library, goods, ScheduleName.US_HTS, code, by="bench") for goods, code in islice(rows, _PART)
        ]
        async with inst.service.database.begin() as transaction:
            await decisions.remember(transaction, inst.tenants[_DECIDER], part, now=now)
    return _DECISIONS / (time.perf_counter() - started)


async def _accept(inst: Installation, api: Process, customer: int) -> float:
    """Milliseconds of processor time for an accepted request of a customer; nobody works on what it asks for."""
    wire = request("POST", f"{api.url}/api/v1/products/classify", inst.headers(customer), WIRE_BODY)
    return await cost(inst, api, lambda: wire, 202, seconds=1.0)


async def _analysed(
    inst: Installation, client: httpx2.AsyncClient, customer: int, goods: Sequence[tuple[ProductFields, Code]]
) -> float:
    """Milliseconds that an analysis of these goods takes, the mean."""
    said = [{"name": one.name, "identifier": one.identifier} for one, _ in goods]
    body = {"products": said, "schedules": ["US-HTS"]}
    answer = await client.post("/api/v1/classifications/bulk", json=body, headers=inst.headers(customer))
    assert answer.status_code == 202, answer.text
    await until_final(inst)
    query = text("""
        SELECT avg(extract(epoch FROM completed_at - started_at)) * 1000 FROM classifications WHERE batch_id = :id
    """)
    async with inst.service.database.begin() as transaction:
        return float((await transaction.execute(query, {"id": answer.json()["batch_id"]})).scalar_one())


async def _answered(inst: Installation, customer: int, goods: Sequence[tuple[ProductFields, Code]]) -> int:
    """How many of these goods have the code that was decided for them in their newest answer."""
    query = text("""
        SELECT DISTINCT ON (product_identifier) product_identifier, final_code, decided_by FROM classifications
         WHERE organization_id = :id AND status = 'completed' ORDER BY product_identifier, created_at DESC
    """)
    async with inst.service.database.begin() as transaction:
        rows = (await transaction.execute(query, {"id": inst.tenants[customer].organization_id})).all()
    found = {row.product_identifier: row.final_code for row in rows if row.decided_by == "precedent"}
    return sum(found.get(one.identifier) == code for one, code in goods)
