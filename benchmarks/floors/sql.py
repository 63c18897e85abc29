"""The very SQL of a request, sent again and again without HTTP, without SQLAlchemy and without our code.

The trap: a floor written by hand, which falls behind the code; this one is recorded as a request is answered."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import re
import time
from collections.abc import AsyncIterator, Iterator
from itertools import cycle
from typing import Any

import psycopg
from psycopg.types.json import Json, Jsonb

from benchmarks.load import Load
from pcs.base import ids
from pcs.base.database import conninfo

_MADE_UP = re.compile(r"\b(product|clf|req)_[0-7][0-9a-hjkmnp-tv-z]{25}\b")


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """One statement with its parameters, or the end of a transaction; `many` for a list of parameters."""

    query: Any
    parameters: Any = None
    many: bool = False
    alone: bool = False

    @property
    def is_commit(self) -> bool:
        """Whether it ends a transaction."""
        return self.query is None


@contextlib.contextmanager
def recorded() -> Iterator[list[Step]]:
    """Every statement that this process sends through psycopg's asynchronous cursors meanwhile."""
    steps: list[Step] = []
    cursor, connection = psycopg.AsyncCursor, psycopg.AsyncConnection
    execute, executemany, commit = cursor.execute, cursor.executemany, connection.commit

    async def note_execute(self: Any, query: Any, params: Any = None, **more: Any) -> Any:  # noqa: ANN401
        if "pg_notify" not in str(query):  # sent beside the request, on a connection of its own
            steps.append(Step(query, params, alone=self.connection.autocommit))
        return await execute(self, query, params, **more)

    async def note_executemany(self: Any, query: Any, params_seq: Any, **more: Any) -> Any:  # noqa: ANN401
        params = list(params_seq)
        steps.append(Step(query, params, many=True, alone=self.connection.autocommit))
        return await executemany(self, query, params, **more)

    async def note_commit(self: Any) -> None:  # noqa: ANN401
        steps.append(Step(None))
        await commit(self)

    cursor.execute, cursor.executemany, connection.commit = note_execute, note_executemany, note_commit  # type: ignore[assignment,method-assign]
    try:
        yield steps
    finally:
        cursor.execute, cursor.executemany, connection.commit = execute, executemany, commit  # type: ignore[method-assign]


def renewed(value: Any, names: dict[str, str]) -> Any:  # noqa: ANN401
    """Parameters with fresh identifiers in the place of those that the recorded request made up."""
    if isinstance(value, str):
        return _MADE_UP.sub(lambda found: names.setdefault(found[0], ids.new_id(found[1])), value)
    if isinstance(value, dict):
        return {key: renewed(inner, names) for key, inner in value.items()}
    if isinstance(value, (Json, Jsonb)):
        return type(value)(renewed(value.obj, names))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(renewed(inner, names) for inner in value))
    if isinstance(value, (list, tuple)):
        return type(value)(renewed(inner, names) for inner in value)
    return value


async def _play(connection: psycopg.AsyncConnection[Any], steps: list[Step]) -> None:
    names: dict[str, str] = {}
    for step in steps:
        if step.is_commit:
            await connection.commit()
            continue
        if connection.autocommit != step.alone:
            await connection.set_autocommit(step.alone)
        parameters = renewed(step.parameters, names)
        cursor = connection.cursor()
        if step.many:
            await cursor.executemany(step.query, parameters)
            continue
        await cursor.execute(step.query, parameters)
        if cursor.description:
            await cursor.fetchall()


@contextlib.asynccontextmanager
async def connections(url: str, number: int) -> AsyncIterator[list[psycopg.AsyncConnection[Any]]]:
    """Kept connections that register what our own do."""
    async with contextlib.AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(await psycopg.AsyncConnection.connect(conninfo(url))) for _ in range(number)
        ]


async def replay(url: str, recordings: list[list[Step]], *, seconds: float, tasks: int = 8) -> Load:
    """Send recorded statements for some seconds over some connections, each of which goes through all recordings."""
    load = Load()
    async with connections(url, tasks) as kept:
        for connection in kept:  # prepared statements and caches as in a server that has run for a while
            for steps in recordings[:6]:
                await _play(connection, steps)
        started, turns = time.perf_counter(), cycle(recordings)

        async def keep_busy(connection: psycopg.AsyncConnection[Any]) -> None:
            while (began := time.perf_counter()) - started < seconds:
                await _play(connection, next(turns))
                load.times.append(time.perf_counter() - began)

        await asyncio.gather(*(keep_busy(connection) for connection in kept))
        load.seconds = time.perf_counter() - started
    return load
