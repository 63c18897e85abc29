"""The job that sends one delivery: claim, send with nothing open, record.

The traps: a connection held while a slow receiver takes its ten seconds; and a job of its own for each of the hundreds
that wait for one receiver, of which five are sent at once."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

import structlog
from opentelemetry.trace import Span, SpanKind

from pcs.base import tracing
from pcs.bootstrap import Service
from pcs.webhooks import service as webhooks
from pcs.webhooks.model import Attempt
from pcs.webhooks.transport import Sending, Transport

_log = structlog.get_logger(__name__)


_GO_ON_SECONDS = 1.0  # then the others in the queue have their turn, or the worker ends


def deliver_task(service: Service, transport: Transport) -> Callable[[str], Awaitable[None]]:
    """The task, which takes a delivery's id and may run twice; it goes on with what waits for the same receiver."""

    async def run(subject: str) -> None:
        until = time.monotonic() + _GO_ON_SECONDS
        following: str | None = subject
        while following is not None:
            following = await deliver(following, until)

    async def deliver(subject: str, until: float) -> str | None:
        async with service.database.begin() as transaction:
            claimed = await webhooks.claim(transaction, subject, service.secrets, now=service.clock())
        if claimed is None:
            return None
        delivery, headers = claimed
        _log.debug("delivery claimed", id=subject, claim=delivery.claim)
        with tracing.span("POST", SpanKind.CLIENT) as span:
            attempt = await transport.send(Sending(delivery.url, headers, delivery.body), now=service.clock())
            _note(service, attempt, span)
        _log.debug("delivery sent", id=subject, status=attempt.response_status)
        go_on = time.monotonic() < until
        async with service.database.begin() as transaction:
            recorded = await webhooks.record(transaction, delivery, attempt, now=service.clock(), go_on=go_on)
        said = {"id": subject, "status": attempt.response_status, "error": attempt.error, "took": attempt.duration_ms}
        _log.info("delivery recorded" if recorded.counts else "delivery lost to another worker", **said)
        return recorded.following

    return run


def _note(service: Service, attempt: Attempt, span: Span) -> None:
    """Count and trace a send."""
    service.metrics.sends.labels("succeeded" if attempt.succeeded else "failed").inc()
    service.metrics.send_seconds.observe(attempt.duration_ms / 1000)
    if attempt.response_status is not None:
        span.set_attribute("http.response.status_code", attempt.response_status)
    if not attempt.succeeded:
        tracing.fail(span, attempt.error or f"answered {attempt.response_status}")
