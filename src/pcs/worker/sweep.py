"""What every worker does beside its jobs, every ten seconds: put back the jobs of dead workers, forget what is old.

The trap: a sweep that is itself a job waits behind the very jobs that it should rescue, so it is a loop of its own."""

from __future__ import annotations

import asyncio

import structlog

from pcs.base.database import is_unavailable
from pcs.base.queue import rescue_stalled
from pcs.bootstrap import Service
from pcs.classifications import service as classifications
from pcs.idempotency import service as idempotency
from pcs.organizations import service as organizations
from pcs.requests import service as requests
from pcs.reviewer import service as reviewer
from pcs.webhooks import replays
from pcs.webhooks import service as webhooks
from pcs.worker.comparisons import notice_promotions
from pcs.worker.watching import take_turn

_log = structlog.get_logger(__name__)


async def sweep_forever(service: Service) -> None:
    """Sweep now and then, until cancelled; a database that is away is waited for."""
    while True:
        try:
            await sweep(service)
        except Exception as error:
            if not is_unavailable(error):
                raise
            _log.warning("sweep postponed: the database is away")
        await asyncio.sleep(service.settings.sweep_seconds)


async def sweep(service: Service) -> None:
    """Rescue stalled jobs first, in a transaction of its own; then the rest."""
    settings = service.settings
    async with service.database.begin() as transaction:
        rescued = await rescue_stalled(transaction, silence=settings.worker_stalled_seconds)
    async with service.database.begin() as transaction:
        now = service.clock()
        orphans = await classifications.requeue_orphans(transaction, now=now)
        orphans += await webhooks.requeue_orphans(transaction, now=now)
        await webhooks.tidy(transaction, now=now)
        await idempotency.tidy(transaction, retention=settings.idempotency_retention, now=now)
        await organizations.tidy(transaction, now=now)
        await reviewer.tidy(transaction, now=now)
        await requests.tidy(transaction, days=settings.request_log_days, now=now)
    await _replay(service)
    await notice_promotions(service)
    await take_turn(service)
    if rescued or orphans:
        _log.warning("jobs rescued", stalled=rescued, orphans=orphans)


async def _replay(service: Service) -> None:
    """Take a portion of every replay that is under way, each in a transaction of its own."""
    last: str | None = ""
    while last is not None:
        async with service.database.begin() as transaction:
            last = await replays.proceed(transaction, after=last, now=service.clock())
