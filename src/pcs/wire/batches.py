"""Batches on the wire: as they are accepted, polled and listed."""

from __future__ import annotations

from pydantic import Field

from pcs.batches.model import Batch, BatchStatus, BatchSummary
from pcs.classifications.model import Classification, Status
from pcs.tariff.revision import ScheduleName
from pcs.wire.base import Answer, Timestamp
from pcs.wire.classifications import (
    ConsistencyOutput,
    FailureOutput,
    FiledOutput,
    FinalOutput,
    Stub,
    ending,
    stub_fields,
)
from pcs.wire.products import supplied
from pcs.wire.results import AnyResult


class SummaryOutput(Answer):
    """How many classifications have which status; `pending` counts all that are not final."""

    total: int
    completed: int
    failed: int
    pending: int

    @classmethod
    def of(cls, summary: BatchSummary) -> SummaryOutput:
        """The wire shape of a summary."""
        return cls(total=summary.total, completed=summary.completed, failed=summary.failed, pending=summary.pending)


class BatchOutput(Answer):
    """A batch without its classifications."""

    batch_id: str
    status: BatchStatus
    summary: SummaryOutput
    created_at: Timestamp
    completed_at: Timestamp | None = None

    @classmethod
    def of(cls, batch: Batch, summary: BatchSummary) -> BatchOutput:
        """The wire shape of a batch."""
        optional = {} if batch.completed_at is None else {"completed_at": batch.completed_at}
        return cls(
            batch_id=batch.id,
            status=batch.status,
            summary=SummaryOutput.of(summary),
            created_at=batch.created_at,
            **optional,
        )


class BatchItem(Answer):
    """One classification of a batch, with `result` once completed and `error` once failed."""

    id: str
    status: Status
    schedule: ScheduleName
    product_id: str
    product_identifier: str | None = None
    metadata: dict[str, str] | None = None
    result: AnyResult | None = None
    final: FinalOutput | None = Field(description="What the goods are declared under; null while nothing is decided.")
    error: FailureOutput | None = None
    filed: FiledOutput | None = None
    consistency: ConsistencyOutput | None = None

    @classmethod
    def of(cls, one: Classification) -> BatchItem:
        """The wire shape of a stored classification in its batch."""
        shown = {**stub_fields(one), **supplied(one.goods, "metadata"), **ending(one)}
        known = {name: value for name, value in shown.items() if name in cls.model_fields}
        return cls(product_id=one.product_id, **known)


class FullBatch(BatchOutput):
    """A batch and the status of each of its classifications, in the order submitted."""

    classifications: list[BatchItem]


class BatchStub(Stub):
    """A classification of a batch as it is accepted."""

    product_id: str


class SubmittedBatch(BatchOutput):
    """A batch as it is accepted."""

    classifications: list[BatchStub]
    poll_url: str
    estimated_completion_seconds: int
