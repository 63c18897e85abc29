"""The job that computes what people's word bears of a promise. The trap: a job for each word that computes what the one
before it did; where nothing new was said it ends at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import structlog

from pcs.bootstrap import Service
from pcs.promises import service as promises

_log = structlog.get_logger(__name__)


def compute_task(service: Service) -> Callable[[str], Awaitable[None]]:
    """The task, which takes whose answers under which schedule, and may run twice."""

    async def run(subject: str) -> None:
        async with service.database.begin() as transaction:
            await promises.compute(transaction, subject, now=service.clock())
            _log.debug("promise computed", id=subject)

    return run
