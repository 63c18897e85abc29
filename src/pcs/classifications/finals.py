"""Requests of one process that wait until classifications, batches and uploads are final.

The trap: a thousand that wait and ask a thousand times; whoever waits for the same tenant shares one look at the
database, which is taken when something has happened there, and no connection is held in between."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import structlog

from pcs.base.bells import Bells, rung
from pcs.base.database import Database, is_unavailable
from pcs.base.tenancy import Tenant
from pcs.classifications import waiting_store

_ALONE = 5.0  # seconds after which a look is taken without a bell
_log = structlog.get_logger(__name__)


@dataclass(slots=True, eq=False)
class _Waiter:
    unfinished: set[str]
    done: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(slots=True)
class _Room:
    """Those who wait for one tenant's, and the task that looks for them."""

    waiters: set[_Waiter] = field(default_factory=set)
    bell: asyncio.Event = field(default_factory=asyncio.Event)
    looking: asyncio.Task[None] | None = None


class Finals:
    """All who wait in one process."""

    def __init__(self, database: Database, bells: Bells) -> None:
        self._database = database
        self._bells = bells
        self._rooms: dict[Tenant, _Room] = {}
        self.looks = 0
        """How many were taken."""

    async def wait(self, tenant: Tenant, ids: set[str], *, seconds: float) -> None:
        """Until each of these (classification, batch, upload) is final, is not there at all, or the time is over."""
        room, waiter = self._rooms.setdefault(tenant, _Room()), _Waiter(ids)
        room.waiters.add(waiter)
        room.bell.set()
        if room.looking is None:
            room.looking = asyncio.create_task(self._look_for(tenant, room))
        try:
            async with asyncio.timeout(seconds):
                await waiter.done.wait()
        except TimeoutError:
            pass
        finally:
            room.waiters.discard(waiter)
            room.bell.set()

    async def _look_for(self, tenant: Tenant, room: _Room) -> None:
        with self._bells.bell(tenant) as room.bell:
            while room.waiters:
                room.bell.clear()
                await self._look(tenant, room)
                if room.waiters:
                    await rung(room.bell, seconds=_ALONE)
        del self._rooms[tenant]

    async def _look(self, tenant: Tenant, room: _Room) -> None:
        self.looks += 1
        waiting = list(room.waiters)
        asked = set[str]().union(*(one.unfinished for one in waiting))
        try:
            async with self._database.autocommit() as transaction:
                unfinished = await waiting_store.unfinished_among(transaction, tenant, asked)
        except Exception as error:  # noqa: BLE001 (they go on waiting; the next look may succeed)
            if not is_unavailable(error):
                _log.error("a look for what is final failed", exc_info=error)
            unfinished = asked
        for one in waiting:
            one.unfinished &= unfinished
            if self._bells.ended or not one.unfinished:
                one.done.set()
                room.waiters.discard(one)
