"""Polls are looked up together: those that come while the database answers go with the next statement.

The trap: a poll that waits for others. One that comes while none is looked up goes at once; and one whose caller went
away takes nobody's answer along."""

from __future__ import annotations

import asyncio
import datetime as dt
from dataclasses import dataclass, field

from pcs.base.database import Database
from pcs.classifications.polled_store import Polled, look_up
from pcs.organizations.model import ApiKey, RateWindow

_MOST = 200  # polls of one statement


@dataclass(slots=True)
class _Waiting:
    digest: bytes
    classification_id: str
    now: dt.datetime
    default_limit: int
    found: asyncio.Future[Polled | None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class Polling:
    """The polls of one process."""

    def __init__(self) -> None:
        self._waiting: list[_Waiting] = []
        self._looking: asyncio.Task[None] | None = None

    async def find(self, database: Database, waiting: _Waiting) -> Polled | None:
        """What is found for a poll; None where nobody has the key. Raises what the database raises."""
        self._waiting.append(waiting)
        if self._looking is None:
            self._looking = asyncio.create_task(self._look(database))
        return await waiting.found

    async def _look(self, database: Database) -> None:
        try:
            while self._waiting:
                together, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
                await _answer(database, together)
        finally:
            self._looking = None


async def _answer(database: Database, together: list[_Waiting]) -> None:
    asked = [(one.digest, one.classification_id) for one in together]
    last = together[-1]
    try:
        async with database.autocommit() as transaction:
            found = await look_up(transaction, asked, now=last.now, default_limit=last.default_limit)
    except Exception as fault:  # noqa: BLE001 (each of those who wait is told, and answers as it would have alone)
        for one in together:
            if not one.found.done():
                one.found.set_exception(fault)
        return
    for one, answer in zip(together, found, strict=True):
        if not one.found.done():
            one.found.set_result(answer)


class Poll:
    """A look-up of a key that reads a classification's version too: a `pcs.organizations.service.FindKey`."""

    __slots__ = ("_classification_id", "_polling", "version")

    def __init__(self, polling: Polling, classification_id: str) -> None:
        self._polling = polling
        self._classification_id = classification_id
        self.version: str | None = None
        """See `Polled`."""

    async def __call__(
        self, database: Database, digest: bytes, *, now: dt.datetime, default_limit: int
    ) -> tuple[ApiKey, RateWindow | None] | None:
        """Look it up."""
        found = await self._polling.find(database, _Waiting(digest, self._classification_id, now, default_limit))
        if found is None:
            return None
        self.version = found.version
        return found.key, found.window
