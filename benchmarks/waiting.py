"""A thousand requests that wait at once on one API process, and what a finished batch's poll weighs.

The trap: waiting that looks free because nobody is woken; all of them are, by one worker that finishes what they wait
for, and the time is from the moment at which the database has it to the answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
from sqlalchemy import text

from benchmarks.installation import Installation, Process, installation
from benchmarks.table import Figure
from pcs.classifications import claims, endings
from pcs.classifications.model import Failure, FailureCode, Outcome

_WAITING = 1_000
_BATCHES = 10
_POOLS = 30  # what an API process keeps open, and this one, however many ask
_SETTLED = 12.0  # seconds in which all of them have been read, on a machine that others use too
_CONNECTIONS = text(
    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pcs' AND datname = current_database()"
)


def figures() -> Iterator[Figure]:
    """Memory, connections and lateness of waiting requests; the size of polls."""
    found = asyncio.run(_measured())
    yield Figure("connections of the database while 1,000 requests wait", found["connections"], "", limit=_POOLS)
    yield Figure("memory for each waiting request", found["memory"], "KiB", limit=100)
    yield Figure("processor of the API while 1,000 wait and nothing happens", found["idle"], "% of a core", limit=10)
    yield Figure("1,000 waiting requests answered, from the last end, slowest", found["slowest"], "s", limit=5)
    yield Figure("poll of a batch of 100, whole", found["whole"], "KiB")
    yield Figure("poll of a batch of 100, `view=summary`", found["summary"], "KiB", limit=1)


async def _measured() -> dict[str, float]:
    async with installation() as inst:
        api = inst.serve(PCS_MOST_CONNECTIONS="2000")
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
        async with httpx2.AsyncClient(
            base_url=api.url, headers=inst.headers(), trust_env=False, timeout=120, limits=limits
        ) as client:
            stubs = [stub for _ in range(_BATCHES) for stub in await _accepted(client)]
            before = api.memory
            waiting = [asyncio.create_task(_waited(client, stub["poll_url"])) for stub in stubs]
            await asyncio.sleep(_SETTLED)
            found = {"memory": (api.memory - before) * 1024 / _WAITING, "idle": await _idle(api)}
            found["connections"] = await _connections(inst)
            await _end(inst, [stub["id"] for stub in stubs])
            ended = time.perf_counter()
            found["slowest"] = max([await one for one in waiting]) - ended
        async with httpx2.AsyncClient(base_url=api.url, headers=inst.headers(), trust_env=False) as client:
            batch = (await client.get("/api/v1/classifications/bulk")).json()["data"][0]["batch_id"]
            for view in ("full", "summary"):
                answer = await client.get(
                    f"/api/v1/classifications/bulk/{batch}",
                    params={"view": view},
                    headers={"Accept-Encoding": "identity"},
                )
                found["whole" if view == "full" else view] = len(answer.content) / 1024
    return found


async def _accepted(client: httpx2.AsyncClient) -> list[dict[str, Any]]:
    products = [{"name": f"Cotton T-shirt {number}"} for number in range(_WAITING // _BATCHES)]
    answer = await client.post("/api/v1/classifications/bulk", json={"products": products, "schedules": ["US-HTS"]})
    answer.raise_for_status()
    stubs: list[dict[str, Any]] = answer.json()["classifications"]
    return stubs


async def _waited(client: httpx2.AsyncClient, url: str) -> float:
    """When the answer was here."""
    answer = await client.get(url, params={"wait": 60})
    assert answer.json()["status"] == "failed", answer.text
    return time.perf_counter()


async def _idle(api: Process) -> float:
    """Percent of a core that a process takes in two seconds."""
    before, began = _ticks(api), time.perf_counter()
    await asyncio.sleep(2)
    return (_ticks(api) - before) / (time.perf_counter() - began)


def _ticks(api: Process) -> int:
    """Hundredths of a second of processor time."""
    fields = Path(f"/proc/{api.child.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


async def _connections(inst: Installation) -> float:
    async with inst.service.database.autocommit() as transaction:
        return float((await transaction.execute(_CONNECTIONS)).scalar_one())


async def _end(inst: Installation, classification_ids: list[str]) -> None:
    """End each as a worker does, one transaction after the other."""
    failure = Failure(FailureCode.CLASSIFICATION_ERROR, "Ended by a benchmark.")
    for one in classification_ids:
        async with inst.service.database.begin() as transaction:
            now = inst.service.clock()
            [claim] = await claims.claim(transaction, one, now=now)
            await endings.finish(transaction, [(claim, Outcome(processing_time_ms=0, failure=failure))], now=now)
