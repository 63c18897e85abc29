"""A review as part of an analysis: each reply is stored before the next request, so that a crash costs no reply twice.

The trap: a transaction open while a model thinks; each look, each count and each reply has a short one of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from pcs.bootstrap import Service
from pcs.classifications.model import Classification
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.reviewer import service as reviews
from pcs.reviewer.conversation import Reply
from pcs.reviewer.model import Fault, Record, ReplyKey, Reviewed
from pcs.reviewer.review import Reviewing

_log = structlog.get_logger(__name__)

Review = Callable[[Classification, Product, Determination], Awaitable[Reviewed]]


@dataclass(frozen=True, slots=True)
class DurableReplies:
    """The replies of one classification's review, in the database."""

    service: Service
    reviewing: Reviewing
    classification: Classification

    async def kept(self, digest: str) -> Reply | None:
        """See Replies."""
        one = self.classification
        async with self.service.database.begin() as transaction:
            return await reviews.kept_reply(transaction, ReplyKey(one.tenant, one.id, digest))

    async def allow(self) -> None:
        """See Replies."""
        now = self.service.clock()
        async with self.service.database.begin() as transaction:
            await reviews.require_budget(transaction, self.classification.tenant, self.reviewing.budget, now=now)

    async def keep(self, digest: str, reply: Reply) -> None:
        """See Replies."""
        one, now, prices = self.classification, self.service.clock(), self.reviewing.reviewer.terms.prices
        async with self.service.database.begin() as transaction:
            await reviews.keep_reply(transaction, ReplyKey(one.tenant, one.id, digest), reply, prices=prices, now=now)
        _log.debug("reply kept", id=one.id, digest=digest)
        metrics = self.service.metrics
        metrics.review_requests.inc()
        metrics.review_tokens.labels("in").inc(reply.tokens.input)
        metrics.review_tokens.labels("out").inc(reply.tokens.output)
        metrics.review_cost.inc(float(prices.cost(reply.tokens)))


def reviewing_with(service: Service, reviewing: Reviewing) -> Review:
    """The review of a classification's determination."""

    async def review(classification: Classification, product: Product, determination: Determination) -> Reviewed:
        if not reviewing.reviewer.terms.wants(determination):
            return Reviewed(determination, None)
        law, headings = await asyncio.to_thread(reviewing.evidence, product, classification.schedule)
        replies = DurableReplies(service, reviewing, classification)
        found = await reviewing.reviewer.review(product, determination, law, headings, replies)
        if found.record is not None:
            _note_ended(service, classification, found.record)
        return found

    return review


def _note_ended(service: Service, classification: Classification, record: Record) -> None:
    service.metrics.reviews.labels(record.ending, record.fault or "").inc()
    for kind, count in record.dropped.items():
        service.metrics.review_dropped.labels(kind).inc(count)
    level = "error" if record.fault is Fault.NOT_ALLOWED else "info"
    getattr(_log, level)("review ended", id=classification.id, ending=record.ending, fault=record.fault)
