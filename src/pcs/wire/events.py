"""Webhook events on the wire: what receivers read, made of the same shapes as the API's answers.

The trap: a body that is rendered again at each attempt; it is rendered once, with its cause, and kept as bytes."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Literal, get_args
from urllib.parse import urlencode

from pydantic import Field

from pcs.base.tenancy import Environment
from pcs.batches.model import Batch, BatchSummary
from pcs.classifications.model import Classification, Status
from pcs.tariff.changes import ASKING, ChangeKind, Changes
from pcs.tariff.revision import ScheduleName
from pcs.webhooks.model import EventType
from pcs.wire.base import API_PREFIX, Answer, Timestamp
from pcs.wire.batches import BatchOutput, SummaryOutput
from pcs.wire.classifications import FailureOutput, FinalOutput, ReviewOutput, ending
from pcs.wire.products import NamedGoods, supplied
from pcs.wire.results import AnyBriefResult, AnyResult, brief_result_of, result_of


class EventOutput(Answer):
    """Something that happened."""

    event: EventType
    timestamp: Timestamp = Field(description="When it happened.")

    def rendered(self) -> bytes:
        """The body of its deliveries."""
        return self.model_dump_json(exclude_unset=True, by_alias=True).encode()


class CompletedData(Answer):
    """A classification that has a result."""

    id: str
    status: Literal[Status.COMPLETED]
    schedule: ScheduleName
    product: NamedGoods
    metadata: dict[str, str] | None = None
    result: AnyResult
    final: FinalOutput | None = Field(description="What the goods are declared under; null where it needs review.")


class ClassificationCompleted(EventOutput):
    """A classification completed: once for each product and schedule."""

    event: Literal[EventType.CLASSIFICATION_COMPLETED]
    data: CompletedData

    @classmethod
    def of(cls, one: Classification, *, now: dt.datetime) -> ClassificationCompleted:
        """What is told of a classification that completed."""
        assert one.result is not None
        data = CompletedData(
            id=one.id,
            status=Status.COMPLETED,
            schedule=one.schedule,
            product=NamedGoods.of(one.goods),
            **supplied(one.goods, "metadata"),
            result=result_of(one.schedule, one.result),
            final=None if one.final is None else FinalOutput.of(one.final),
        )
        return cls(event=EventType.CLASSIFICATION_COMPLETED, timestamp=now, data=data)


class ReviewedData(Answer):
    """A classification that a person has looked at: its result or its error, their word, and what is decided."""

    id: str
    status: Status = Field(description="`completed` or `failed`")
    schedule: ScheduleName
    product: NamedGoods
    metadata: dict[str, str] | None = None
    result: AnyResult | None = None
    error: FailureOutput | None = None
    final: FinalOutput | None = Field(description="What the goods are declared under; null where it was rejected.")
    review: ReviewOutput


class ClassificationReviewed(EventOutput):
    """A person accepted, corrected or rejected an answer: each time somebody does."""

    event: Literal[EventType.CLASSIFICATION_REVIEWED]
    data: ReviewedData

    @classmethod
    def of(cls, one: Classification, *, now: dt.datetime) -> ClassificationReviewed:
        """What is told of a classification that somebody reviewed."""
        assert one.review is not None
        told = {name: value for name, value in ending(one).items() if name in ReviewedData.model_fields}
        told |= supplied(one.goods, "metadata")
        product = NamedGoods.of(one.goods)
        data = ReviewedData(id=one.id, status=one.status, schedule=one.schedule, product=product, **told)
        return cls(event=EventType.CLASSIFICATION_REVIEWED, timestamp=now, data=data)


class FailedData(Answer):
    """A classification that has no result, and why."""

    id: str
    status: Literal[Status.FAILED]
    schedule: ScheduleName
    product: NamedGoods
    metadata: dict[str, str] | None = None
    error: FailureOutput


class ClassificationFailed(EventOutput):
    """A classification failed."""

    event: Literal[EventType.CLASSIFICATION_FAILED]
    data: FailedData

    @classmethod
    def of(cls, one: Classification, *, now: dt.datetime) -> ClassificationFailed:
        """What is told of a classification that failed."""
        assert one.failure is not None
        data = FailedData(
            id=one.id,
            status=Status.FAILED,
            schedule=one.schedule,
            product=NamedGoods.of(one.goods),
            **supplied(one.goods, "metadata"),
            error=FailureOutput(code=one.failure.code, message=one.failure.message),
        )
        return cls(event=EventType.CLASSIFICATION_FAILED, timestamp=now, data=data)


class FinishedItem(Answer):
    """One classification of a finished batch, with the fields that the interface names."""

    id: str
    status: Status
    schedule: ScheduleName
    product_id: str
    product_identifier: str | None = None
    metadata: dict[str, str] | None = None
    result: AnyBriefResult | None = None
    error: FailureOutput | None = None

    @classmethod
    def of(cls, one: Classification) -> FinishedItem:
        """The wire shape of a final classification."""
        item = cls(id=one.id, status=one.status, schedule=one.schedule, product_id=one.product_id)
        if one.goods.identifier is not None:
            item.product_identifier = one.goods.identifier
        if one.goods.metadata:
            item.metadata = dict(one.goods.metadata)
        if one.result is not None:
            item.result = brief_result_of(one.schedule, one.result)
        if one.failure is not None:
            item.error = FailureOutput(code=one.failure.code, message=one.failure.message)
        return item


class FinishedBatch(BatchOutput):
    """A batch every classification of which is final."""

    classifications: list[FinishedItem]


class BatchCompleted(EventOutput):
    """Every classification of a batch has finished."""

    event: Literal[EventType.BATCH_COMPLETED]
    data: FinishedBatch

    @classmethod
    def of(
        cls, batch: Batch, summary: BatchSummary, items: Sequence[Classification], *, now: dt.datetime
    ) -> BatchCompleted:
        """What is told of a finished batch."""
        data = FinishedBatch(
            batch_id=batch.id,
            status=batch.status,
            summary=SummaryOutput.of(summary),
            created_at=batch.created_at,
            completed_at=batch.completed_at or batch.created_at,
            classifications=[FinishedItem.of(one) for one in items],
        )
        return cls(event=EventType.BATCH_COMPLETED, timestamp=now, data=data)


class OutdatedData(Answer):
    """What a new revision means for an organization's completed classifications. `counts` says how many rest on codes
    that were removed, moved, split, reworded, or whose duty (`rerated`) or units (`remeasured`) changed."""

    schedule: ScheduleName
    before: str = Field(description="The revision that was current before.")
    after: str = Field(description="The current revision.")
    outdated: int = Field(description="Those whose code was removed, moved, split or reworded: classify them again.")
    counts: dict[ChangeKind, int]
    list_url: str = Field(description="Lists them, page by page.")


class ScheduleOutdated(EventOutput):
    """A new revision came to answer, and completed classifications rest on codes that it changed."""

    event: Literal[EventType.SCHEDULE_OUTDATED]
    data: OutdatedData

    @classmethod
    def of(
        cls, changes: Changes, counts: Mapping[ChangeKind, int], *, before: str, after: str, now: dt.datetime
    ) -> ScheduleOutdated:
        """What is told of a comparison; `before` and `after` name the revisions in a query."""
        schedule = changes.after.schedule
        query = urlencode({"from": before, "to": after})
        data = OutdatedData(
            schedule=schedule,
            before=changes.before.name,
            after=changes.after.name,
            outdated=sum(counts.get(kind, 0) for kind in ASKING),
            counts=dict(counts),
            list_url=f"{API_PREFIX}/schedules/{schedule}/outdated?{query}",
        )
        return cls(event=EventType.SCHEDULE_OUTDATED, timestamp=now, data=data)


class TestMessage(Answer):
    """What a test says."""

    message: str
    environment: Environment


class WebhookTest(EventOutput):
    """A test that somebody asked for: nothing was classified."""

    event: Literal[EventType.WEBHOOK_TEST]
    data: TestMessage

    @classmethod
    def of(cls, environment: Environment, *, now: dt.datetime) -> WebhookTest:
        """What a test tells."""
        data = TestMessage(message="This is a test. Nothing was classified.", environment=environment)
        return cls(event=EventType.WEBHOOK_TEST, timestamp=now, data=data)


EVENTS: tuple[type[EventOutput], ...] = (
    ClassificationCompleted,
    ClassificationFailed,
    ClassificationReviewed,
    BatchCompleted,
    ScheduleOutdated,
    WebhookTest,
)
"""Every event that can be sent."""


def kind_of(event: type[EventOutput]) -> EventType:
    """The kind that events of this shape have."""
    [kind] = get_args(event.model_fields["event"].annotation)
    return EventType(kind)
