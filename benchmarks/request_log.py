"""What the request log costs a request: processor time of the process that answers, and of what stores it afterwards.

The trap: two runs of a whole service compared, whose noise is a hundred times what a line costs; the line is timed."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.installation import installation
from benchmarks.requests import WIRE_BODY
from benchmarks.table import Figure
from pcs.base import ids
from pcs.bootstrap import Service
from pcs.http.recording import line_of
from pcs.organizations.model import ApiKey
from pcs.requests.recorder import Recorder

_LINES = 20_000
_BLOCK = 1_000


def figures() -> Iterator[Figure]:
    """A poll's line, an accepted request's with its bodies, and storing lines."""
    poll, accepted, stored = asyncio.run(_measured())
    yield Figure("log line of a poll, processor time", poll, "us", limit=20)
    yield Figure("log line of an accepted request with both bodies, processor time", accepted, "us", limit=250)
    yield Figure("a log line stored, from a full queue to an empty one", stored, "us", limit=500)


async def _measured() -> tuple[float, float, float]:
    async with installation() as inst:
        key = ApiKey(ids.new_id(ids.KEY), inst.tenants[0], "bench", "0000", frozenset(), inst.service.clock())
        poll = _scope(key, "GET", None, b"")
        accepted = _scope(key, "POST", json.loads(WIRE_BODY), WIRE_BODY)
        return (
            _taken(inst.service, poll, 200),
            _taken(inst.service, accepted, 202),
            await _stored(inst.service, accepted),
        )


def _scope(key: ApiKey, method: str, body: object, answered: bytes) -> dict[str, Any]:
    state = {"request_id": ids.new_id(ids.REQUEST), "sender": key, "body": body, "last_part": answered}
    return {"method": method, "path": f"/api/v1/classifications/{key.id}", "query_string": b"", "state": state}


def _taken(service: Service, scope: dict[str, Any], status: int) -> float:
    """Microseconds of this process for one line."""
    began = time.process_time()
    for _ in range(_LINES):
        line_of(scope, status, 0.004, service)
    return (time.process_time() - began) / _LINES * 1e6


async def _stored(service: Service, scope: dict[str, Any]) -> float:
    """Microseconds from a full queue to an empty one, for each line."""
    recorder = Recorder(service.database, service.metrics, wanted=True, bodies=True)
    line = line_of(scope, 202, 0.004, service)
    assert line is not None
    for _ in range(_BLOCK):
        recorder.add(dataclasses.replace(line, id=ids.new_id(ids.REQUEST)))
    began = time.perf_counter()
    await recorder.flush()
    taken = time.perf_counter() - began
    assert not recorder.waiting, "the database took them"
    return taken / _BLOCK * 1e6
