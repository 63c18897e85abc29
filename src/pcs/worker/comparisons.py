"""The job that compares a new revision with the one before, and what notices that there is one.

The trap: seconds of processor time, and two more revisions in a worker's memory, while it analyses; so both revisions
are read and compared in a process of their own, which ends afterwards."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import structlog

from pcs.base.errors import DamagedError
from pcs.bootstrap import Service
from pcs.classifications import comparisons
from pcs.classifications.comparison_store import RevisionComparison
from pcs.schedules.model import UnknownRevisionError
from pcs.schedules.service import Revisions
from pcs.tariff.changes import Changes
from pcs.tariff.revision import ScheduleName

_log = structlog.get_logger(__name__)


async def notice_promotions(service: Service) -> None:
    """See which revision of each schedule answers; a new one is compared with the one before by a job."""
    for name in ScheduleName:
        try:
            key = await asyncio.to_thread(service.library.current_key, name)
        except DamagedError:
            continue
        if key is not None:
            async with service.database.begin() as transaction:
                if await comparisons.notice(transaction, name, key, now=service.clock()):
                    _log.info("a revision came to answer", schedule=name, revision=key)


def compare_task(service: Service) -> Callable[[str], Awaitable[None]]:
    """The task, which takes a comparison's id and may run twice."""

    async def run(subject: str) -> None:
        async with service.database.begin() as transaction:
            comparison = await comparisons.unfinished(transaction, subject)
        if comparison is None:
            return
        changes = await _compared(service.settings.data_dir, comparison)
        if changes is not None:
            await _told(service, comparison, changes)
        async with service.database.begin() as transaction:
            await comparisons.finish(transaction, comparison, now=service.clock())

    return run


async def _told(service: Service, comparison: RevisionComparison, changes: Changes) -> None:
    """Each tenant in a transaction of its own."""
    async with service.database.begin() as transaction:
        found = await comparisons.affected(transaction, changes)
    for one in found:
        async with service.database.begin() as transaction:
            await comparisons.tell(transaction, comparison, changes, one, now=service.clock())
    _log.info("revisions compared", id=comparison.id, schedule=comparison.schedule, tenants=len(found))


async def _compared(data_dir: Path, comparison: RevisionComparison) -> Changes | None:
    """What changed; None where a revision is there no more."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as process:
        arguments = data_dir, comparison.schedule, comparison.before or "", comparison.after
        return await asyncio.get_running_loop().run_in_executor(process, compare, *arguments)


def compare(data_dir: Path, name: ScheduleName, before: str, after: str) -> Changes | None:
    """What changed from one stored revision to another; None where one cannot be read."""
    revisions = Revisions(data_dir)
    try:
        return revisions.changes(name, before, after)
    except (UnknownRevisionError, DamagedError) as error:
        _log.warning("revisions cannot be compared", schedule=name, problem=str(error))
        return None
