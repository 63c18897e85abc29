"""Who waits in this process is woken when something has happened to their tenant: one connection listens for all.

The trap: a waiting request that holds a connection, or asks the database again and again. A bell that nobody
heard (the process that rang it died, or the connection was away) costs some seconds: who waits looks now and then."""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Iterator

import psycopg

from pcs.base.database import Transaction, announce, conninfo
from pcs.base.tenancy import Tenant

_CHANNEL = "pcs_happened"
_TOGETHER = 0.03  # seconds in which bells are one bell: a thousand classifications that end at once are one look
_AGAIN = 1.0  # seconds until a connection that was lost is tried again


def ring(transaction: Transaction, tenant: Tenant) -> None:
    """Wake whoever waits for news of a tenant, in every process, once the transaction is committed."""
    announce(transaction, _CHANNEL, _place(tenant))


def _place(tenant: Tenant) -> str:
    return f"{tenant.organization_id}/{tenant.environment}"


class Bells:
    """The bells of one process; its connection is opened when somebody waits for the first time."""

    def __init__(self, database_url: str) -> None:
        self._database_url = database_url
        self._bells: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._listening: asyncio.Task[None] | None = None
        self.ended = False

    def end(self) -> None:
        """Wake everybody for the last time: the process is about to stop."""
        self.ended = True
        for place in list(self._bells):
            self._rung(place)

    @contextlib.contextmanager
    def bell(self, tenant: Tenant) -> Iterator[asyncio.Event]:
        """An event that is set whenever the tenant's bell rings; clear it before you look."""
        if self._listening is None or self._listening.done():
            self._listening = asyncio.create_task(self._listen())
        place, bell = _place(tenant), asyncio.Event()
        self._bells[place].add(bell)
        try:
            yield bell
        finally:
            self._bells[place].discard(bell)
            if not self._bells[place]:
                del self._bells[place]

    async def _listen(self) -> None:
        while True:
            with contextlib.suppress(psycopg.Error, OSError):
                await self._hear()
            await asyncio.sleep(_AGAIN)

    async def _hear(self) -> None:
        where = conninfo(self._database_url)
        connecting = psycopg.AsyncConnection.connect(where, autocommit=True, connect_timeout=5, application_name="pcs")
        async with await connecting as connection:
            await connection.execute(f"LISTEN {_CHANNEL}")
            for place in list(self._bells):  # something may have happened while nobody listened
                self._rung(place)
            async for notification in connection.notifies():
                self._rung(notification.payload)

    def _rung(self, place: str) -> None:
        for bell in self._bells.get(place, ()):
            bell.set()

    async def close(self) -> None:
        """Give the connection back."""
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.wait([self._listening])
            self._listening = None


async def rung(bell: asyncio.Event, *, seconds: float) -> bool:
    """Wait for a bell, and a moment longer for those that ring with it; False where none rang in time."""
    try:
        await asyncio.wait_for(bell.wait(), seconds)
    except TimeoutError:
        return False
    await asyncio.sleep(_TOGETHER)
    return True
