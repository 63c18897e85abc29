"""An assessment as part of an analysis: each reply is stored before the next request, so that a crash costs none twice.

The trap: a transaction open while a model thinks; each look, each count and each reply has a short one of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

import structlog

from pcs.bootstrap import Service
from pcs.classifications.model import Classification
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.reviewer import service as reviewer
from pcs.reviewer.assessment import Assessments
from pcs.reviewer.conversation import Reply
from pcs.reviewer.model import Assessed, Fault, Record, ReplyKey
from pcs.reviewer.pictures import Look
from pcs.worker.pictures import look_at

_log = structlog.get_logger(__name__)

Assess = Callable[[Classification, Product, Determination], Awaitable[Assessed]]


@dataclass(frozen=True, slots=True)
class DurableReplies:
    """The replies of one classification's assessment, in the database."""

    service: Service
    assessments: Assessments
    classification: Classification

    async def kept(self, digest: str) -> Reply | None:
        """See Replies."""
        one = self.classification
        async with self.service.database.begin() as transaction:
            return await reviewer.kept_reply(transaction, ReplyKey(one.tenant, one.id, digest))

    async def allow(self) -> None:
        """See Replies."""
        now = self.service.clock()
        async with self.service.database.begin() as transaction:
            await reviewer.require_budget(transaction, self.classification.tenant, self.assessments.budget, now=now)

    async def keep(self, digest: str, reply: Reply) -> None:
        """See Replies."""
        one, now, prices = self.classification, self.service.clock(), self.assessments.reviewer.terms.prices
        async with self.service.database.begin() as transaction:
            await reviewer.keep_reply(transaction, ReplyKey(one.tenant, one.id, digest), reply, prices=prices, now=now)
        _log.debug("reply kept", id=one.id, digest=digest)
        metrics = self.service.metrics
        metrics.assessment_requests.inc()
        metrics.assessment_tokens.labels("in").inc(reply.tokens.input)
        metrics.assessment_tokens.labels("out").inc(reply.tokens.output)
        metrics.assessment_cost.inc(float(prices.cost(reply.tokens)))


def assessing_with(service: Service, assessments: Assessments) -> Assess:
    """The assessment of a classification's determination."""

    async def assess(classification: Classification, product: Product, determination: Determination) -> Assessed:
        if not assessments.reviewer.terms.wants(determination):
            return Assessed(determination, None)
        law, headings = await asyncio.to_thread(assessments.evidence, product, classification.schedule)
        replies = DurableReplies(service, assessments, classification)
        look = looking_at(service, assessments, classification)
        found = await assessments.reviewer.assess(product, determination, law, headings, replies, look=look)
        if found.record is not None:
            _note_ended(service, classification, found.record)
        return found

    return assess


def looking_at(service: Service, assessments: Assessments, classification: Classification) -> Look | None:
    """How a classification's pictures are fetched; None where there are none, or the model is shown none."""
    urls, largest = classification.goods.image_urls, assessments.reviewer.terms.picture_bytes
    return partial(look_at, urls, service.address_policy, largest=largest) if urls and largest else None


def _note_ended(service: Service, classification: Classification, record: Record) -> None:
    service.metrics.assessments.labels(record.ending, record.fault or "").inc()
    for kind, count in record.dropped.items():
        service.metrics.assessment_dropped.labels(kind).inc(count)
    level = "error" if record.fault is Fault.NOT_ALLOWED else "info"
    getattr(_log, level)("assessment ended", id=classification.id, ending=record.ending, fault=record.fault)
