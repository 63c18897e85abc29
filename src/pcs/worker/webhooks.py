"""The job that sends one delivery: claim, send with nothing open, record.

The trap: a connection held while a slow receiver takes its ten seconds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import structlog

from pcs.bootstrap import Service
from pcs.webhooks import service as webhooks
from pcs.webhooks.transport import Sending, Transport

_log = structlog.get_logger(__name__)


def deliver_task(service: Service, transport: Transport) -> Callable[[str], Awaitable[None]]:
    """The task, which takes a delivery's id and may run twice."""

    async def run(subject: str) -> None:
        async with service.database.begin() as transaction:
            claimed = await webhooks.claim(transaction, subject, service.secrets, now=service.clock())
        if claimed is None:
            return
        delivery, headers = claimed
        _log.debug("delivery claimed", id=subject, claim=delivery.claim)
        attempt = await transport.send(Sending(delivery.url, headers, delivery.body), now=service.clock())
        _log.debug("delivery sent", id=subject, status=attempt.response_status)
        async with service.database.begin() as transaction:
            recorded = await webhooks.record(transaction, delivery, attempt, now=service.clock())
        said = {"id": subject, "status": attempt.response_status, "error": attempt.error, "took": attempt.duration_ms}
        _log.info("delivery recorded" if recorded else "delivery lost to another worker", **said)

    return run
