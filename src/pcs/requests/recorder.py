"""Takes requests down while they are answered, and stores them afterwards, in blocks.

The trap: a log that requests wait for. `add` appends to a queue of limited length; a task of the process stores what is
in it. Where the database is slow or away, lines are dropped and counted: never a request."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator
from itertools import islice

import structlog

from pcs.base.database import Database, is_unavailable
from pcs.base.metrics import Metrics
from pcs.requests import store
from pcs.requests.model import LoggedRequest

MOST_WAITING = 2_000
_BLOCK = 500
_EVERY = 0.5  # seconds
_log = structlog.get_logger(__name__)


class Recorder:
    """The request log of one process."""

    def __init__(self, database: Database, metrics: Metrics, *, wanted: bool, bodies: bool) -> None:
        self._database = database
        self._dropped = metrics.requests_unlogged
        self._waiting: deque[LoggedRequest] = deque()
        self.wanted = wanted
        self.bodies = wanted and bodies

    def add(self, line: LoggedRequest) -> None:
        """Keep a request, if there is room."""
        if len(self._waiting) >= MOST_WAITING:
            self._dropped.inc()
        else:
            self._waiting.append(line)

    @property
    def waiting(self) -> int:
        """How many are not stored yet."""
        return len(self._waiting)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Store what is added while the block runs, and at its end what is left."""
        stopping = asyncio.Event()
        storing = asyncio.create_task(self._store_until(stopping))
        try:
            yield
        finally:
            stopping.set()
            await storing

    async def _store_until(self, stopping: asyncio.Event) -> None:
        while not stopping.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), _EVERY)
            await self.flush()

    async def flush(self) -> None:
        """Store what waits; while the database is away it goes on waiting."""
        while block := list(islice(self._waiting, _BLOCK)):
            try:
                async with self._database.autocommit() as transaction:
                    await store.add(transaction, block)
            except Exception as error:  # noqa: BLE001 (a log must not end the process that it logs)
                if is_unavailable(error):
                    return
                self._dropped.inc(len(block))
                _log.error("requests not logged", number=len(block), error=type(error).__name__)
            for _ in block:
                self._waiting.popleft()
