"""The daily look for a new revision: whose turn it is, and the job that looks.

The trap: minutes of reading and parsing in a worker that analyses; the look has a process of its own, which ends
afterwards."""

from __future__ import annotations

import asyncio
import datetime as dt
import multiprocessing
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import structlog

from pcs.base.database import Transaction
from pcs.base.publisher import HttpPublisher
from pcs.base.queue import Order, defer
from pcs.base.tasks import DELIVERY, Task
from pcs.bootstrap import Service
from pcs.organizations import audit
from pcs.organizations import service as organizations
from pcs.organizations.people import Action, Actor
from pcs.schedules import watch_store
from pcs.schedules.watching import WATCHED, LookOutcome, Sighting, look
from pcs.tariff.sources import usitc_release

WATCH = Task("schedules.watch", DELIVERY)
_DAY = dt.timedelta(days=1)
_ACTIONS = {
    LookOutcome.STORED: Action.REVISION_STORED,
    LookOutcome.PROMOTED: Action.REVISION_PROMOTED,
    LookOutcome.REFUSED: Action.REVISION_REFUSED,
}

_log = structlog.get_logger(__name__)


async def take_turn(service: Service) -> None:
    """Queue a look, once a day for all workers together, where the operator wants that."""
    if not service.settings.schedules_watch:
        return
    async with service.database.begin() as transaction:
        now = service.clock()
        if await watch_store.take_turn(transaction, WATCHED, before=now - _DAY, now=now):
            await defer(transaction, WATCH, [Order(WATCHED)])


def watch_task(service: Service) -> Callable[[str], Awaitable[None]]:
    """The task, which may run twice: what was stored before is not stored again."""

    async def run(subject: str) -> None:
        settings = service.settings
        address = settings.schedules_address or usitc_release.ADDRESS
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as process:
            asked = settings.data_dir, address, settings.schedules_auto_promote
            sighting = await asyncio.get_running_loop().run_in_executor(process, look_at, *asked)
        async with service.database.begin() as transaction:
            await write_down(transaction, sighting, by="daily watch", now=service.clock())
        _log.info("looked for a new revision", schedule=subject, edition=sighting.edition, outcome=sighting.outcome)

    return run


def look_at(data_dir: Path, address: str, promote: bool) -> Sighting:  # noqa: FBT001 (what a process is given)
    """One look at an address."""
    with HttpPublisher(address) as publisher:
        return look(data_dir, publisher, promote=promote)


async def write_down(transaction: Transaction, sighting: Sighting, *, by: str, now: dt.datetime) -> None:
    """Write every step that changed something, or was refused, into every organization's audit log."""
    told = [(_ACTIONS[step], step) for step in sighting.steps if step in _ACTIONS]
    for one in await organizations.list_organizations(transaction) if told else ():
        who = Actor(one.id, None, by, "")
        for action, step in told:
            detail = sighting.detail if step is sighting.outcome else ""
            await audit.record(
                transaction, who, action, subject=f"{WATCHED} {sighting.edition}".strip(), detail=detail, now=now
            )
