"""A file of 100,000 rows through the API: how fast it is accepted, what it takes of memory, how long until it is done.

All of it is accepted; what is finished is counted for a minute, or, with `BENCH_WHOLE=1`, until the last row. The trap:
a rate while nothing is read; the file is polled as its sender would, and its result is fetched. Beside the clock stands
the processor time of all processes, PostgreSQL's too, which a busy machine changes less."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Iterator
from typing import Any

import httpx2

from benchmarks.cpu import cpu_seconds, postgres_pids
from benchmarks.engine import products
from benchmarks.installation import Installation, Process, installation, until_answers
from benchmarks.table import Figure

_ROWS = int(os.environ.get("BENCH_ROWS", "100000"))
_WHOLE = os.environ.get("BENCH_WHOLE") == "1"
_SHARE_SECONDS = 60.0
_WARM = 500  # answers after which the workers are as they stay
_MOST_MINUTES = 20.0
_FLAT = 64  # MiB more than before
_POLL_SECONDS = 2.0


def figures() -> Iterator[Figure]:
    """Rows a second in and out, memory, and minutes for the whole."""
    yield from asyncio.run(_measured())


async def _measured() -> list[Figure]:
    async with installation(workers=2) as inst:
        api, workers = inst.serve(), [inst.work(), inst.work()]
        until_answers(f"{api.url}/ready", inst.log)
        async with httpx2.AsyncClient(base_url=api.url, headers=inst.headers(), trust_env=False, timeout=600) as client:
            return await _uploaded(inst, client, api, workers)


async def _uploaded(
    inst: Installation, client: httpx2.AsyncClient, api: Process, workers: list[Process]
) -> list[Figure]:
    await _final(client, await _sent(client, 20), 20)  # what is read once is read
    before, content = api.memory, _file(_ROWS)
    began = time.perf_counter()
    upload = await _post(client, content)
    accepting, highest = time.perf_counter() - began, api.memory
    await _final(client, upload, min(_WARM, _ROWS // 2))
    warm = [one.memory for one in workers]
    spent = _processor(inst, api, *workers)
    rate, done, finished = await _rate(client, upload)
    each = (_processor(inst, api, *workers) - spent) / finished
    grown = max(one.memory - then for one, then in zip(workers, warm, strict=True))
    fetching = time.perf_counter()
    size = await _fetched(client, upload)
    fetched = time.perf_counter() - fetching
    minutes = done or _ROWS / rate / 60
    said = "measured to the last row" if done else "at the rate of a minute"
    return [
        Figure(
            f"upload of {_ROWS:,} rows ({len(content) / 2**20:.0f} MiB), accepted", _ROWS / accepting, "rows a second"
        ),
        Figure("memory of the API, more while it is accepted", highest - before, "MiB", limit=_FLAT),
        Figure("rows finished by two workers", rate, "a second"),
        Figure(f"100,000 rows under one schedule, {said}", minutes * 100_000 / _ROWS, "minutes", limit=_MOST_MINUTES),
        Figure("processor time of a row, all processes with PostgreSQL", each * 1000, "ms"),
        Figure("100,000 rows, by processor time on two cores", each * 100_000 / 120, "minutes", limit=_MOST_MINUTES),
        Figure("memory of a worker, more while it works on it", grown, "MiB", limit=_FLAT),
        Figure(f"its result fetched ({size / 2**20:.0f} MiB)", fetched, "s"),
        Figure("memory of the API, more after all of it", api.memory - before, "MiB", limit=_FLAT),
    ]


def _processor(inst: Installation, *processes: Process) -> float:
    """Seconds taken so far."""
    return cpu_seconds([*postgres_pids(inst.settings.data_dir), *(one.child.pid for one in processes)])


def _file(rows: int) -> bytes:
    """JSON Lines of goods, no two alike."""
    goods = products()
    lines = (
        {
            "identifier": f"SKU-{place}",
            "name": goods[place % len(goods)].name[:400],
            "description": f"{goods[(place * 7 + place // len(goods)) % len(goods)].description} Lot {place}.",
        }
        for place in range(rows)
    )
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


async def _sent(client: httpx2.AsyncClient, rows: int) -> str:
    return await _post(client, _file(rows))


async def _post(client: httpx2.AsyncClient, content: bytes) -> str:
    """Send a file; where it is polled."""
    answer = await client.post(
        "/api/v1/uploads", files={"file": ("goods.jsonl", content)}, data={"schedules": "US-HTS"}
    )
    assert answer.status_code == httpx2.codes.ACCEPTED, answer.text
    told = answer.json()
    assert told["left_out"] == 0, told["problems"]
    return str(told["poll_url"])


async def _state(client: httpx2.AsyncClient, upload: str) -> dict[str, Any]:
    answer = await client.get(upload)
    answer.raise_for_status()
    told: dict[str, Any] = answer.json()
    return told


async def _final(client: httpx2.AsyncClient, upload: str, number: int) -> int:
    """Wait until so many rows are final; how many are."""
    while True:
        summary = (await _state(client, upload))["summary"]
        if (final := summary["completed"] + summary["failed"]) >= number:
            return int(final)
        await asyncio.sleep(0.2)


async def _rate(client: httpx2.AsyncClient, upload: str) -> tuple[float, float | None, int]:
    """Rows finished a second, minutes for all of them where the last was waited for, and how many were finished."""
    began, first = time.perf_counter(), await _final(client, upload, 0)
    while True:
        await asyncio.sleep(_POLL_SECONDS)
        final, passed = await _final(client, upload, 0), time.perf_counter() - began
        if final == _ROWS:
            return (final - first) / passed, passed / 60 * _ROWS / (final - first), final - first
        if passed > _SHARE_SECONDS and not _WHOLE:
            return (final - first) / passed, None, final - first


async def _fetched(client: httpx2.AsyncClient, upload: str) -> int:
    """Read the result as it comes; its bytes."""
    size = 0
    async with client.stream("GET", f"{upload}/result") as answer:
        answer.raise_for_status()
        async for chunk in answer.aiter_bytes():
            size += len(chunk)
    return size
