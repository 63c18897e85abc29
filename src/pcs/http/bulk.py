"""Batches on the wire. The trap: a batch half stored; one invalid product rejects all of it, and nothing is charged."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.batches import service as batches
from pcs.batches.model import MAX_PRODUCTS, Batch, BatchStatus, Summary
from pcs.classifications import service as classifications
from pcs.classifications.model import Classification, Status
from pcs.http.bodies import BodyRoute
from pcs.http.door import Door, answer, door_for
from pcs.http.envelope import API_PREFIX
from pcs.http.lists import ListOf, PageQuery, paged
from pcs.http.openapi import creating, refusing
from pcs.http.results import EuResult, UsResult
from pcs.http.shapes import FailureOutput, Stub, ending, stub_fields
from pcs.http.submitted import Options, ProductInput, refuse_on_request, terms_of
from pcs.http.wire import Answer, Schedules, Timestamp, Wire
from pcs.organizations.model import Scope
from pcs.products import service as products
from pcs.tariff.revision import ScheduleName

router = APIRouter(route_class=BodyRoute, tags=["batches"])


class BulkInput(Wire):
    """Products, and the schedules to classify each of them under."""

    products: Annotated[list[ProductInput], Field(min_length=1, max_length=MAX_PRODUCTS)]
    schedules: Schedules
    options: Options | None = Field(default=None, description="`webhook_url` is told of the batch's end too.")


class SummaryOutput(Answer):
    """How many classifications are where; `pending` counts all that are not final."""

    total: int
    completed: int
    failed: int
    pending: int

    @classmethod
    def of(cls, summary: Summary) -> SummaryOutput:
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
    def of(cls, batch: Batch, summary: Summary) -> BatchOutput:
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
    result: UsResult | EuResult | None = None
    error: FailureOutput | None = None

    @classmethod
    def of(cls, one: Classification) -> BatchItem:
        """The wire shape of a stored classification in its batch."""
        shown = {**stub_fields(one), **ending(one)}
        known = {name: value for name, value in shown.items() if name in cls.model_fields}
        return cls(product_id=one.product_id, **known)


class FullBatch(BatchOutput):
    """A batch and where each of its classifications stands, in the order submitted."""

    classifications: list[BatchItem]


class BatchStub(Stub):
    """A classification of a batch as it is accepted."""

    product_id: str


class SubmittedBatch(BatchOutput):
    """A batch as it is accepted."""

    classifications: list[BatchStub]
    poll_url: str
    estimated_completion_seconds: int


@router.post("/classifications/bulk", status_code=202, response_model=SubmittedBatch, responses=creating(charged=True))
async def submit(body: BulkInput, door: Annotated[Door, door_for(Scope.CLASSIFICATIONS_WRITE)]) -> Response:
    """Submit up to 100 products at once. One credit for each product and schedule."""
    terms = terms_of(door, list(body.schedules), body.options)
    fields = [one.fields() for one in body.products]
    refuse_on_request(door, fields)

    async def work(transaction: Transaction) -> Response:
        total = len(fields) * len(terms.schedules)
        batch = await batches.open_batch(
            transaction, door.tenant, total=total, webhook_url=terms.webhook_url, now=door.now
        )
        created = await products.create(transaction, door.tenant, fields, now=door.now)
        accepted = await classifications.accept(
            transaction, door.tenant, created, terms.in_batch(batch.id), now=door.now
        )
        body = SubmittedBatch(
            **BatchOutput.of(batch, Summary(total, 0, 0)).model_dump(exclude_unset=True),
            classifications=[BatchStub(product_id=one.product_id, **stub_fields(one)) for one in accepted],
            poll_url=f"{API_PREFIX}/classifications/bulk/{batch.id}",
            estimated_completion_seconds=await door.service.estimates.seconds(transaction, now=door.now),
        )
        return answer(body, 202)

    return await door.write_once(work)


@router.get("/classifications/bulk", response_model=ListOf[BatchOutput], responses=refusing(400))
async def list_batches(
    query: Annotated[PageQuery, Query()], door: Annotated[Door, door_for(Scope.CLASSIFICATIONS_READ)]
) -> Response:
    """List batches, newest first."""
    wanted = query.slice(ids.BATCH)
    async with door.read() as transaction:
        found = await batches.list_page(transaction, door.tenant, wanted)
        summaries = await classifications.summaries(transaction, found.items)
    return answer(paged(found, [BatchOutput.of(*pair) for pair in zip(found.items, summaries, strict=True)]))


@router.get("/classifications/bulk/{batch_id}", response_model=FullBatch, responses=refusing(404))
async def read(batch_id: str, door: Annotated[Door, door_for(Scope.CLASSIFICATIONS_READ)]) -> Response:
    """Get a batch's progress and its results so far."""
    async with door.read() as transaction:
        batch = await batches.get(transaction, door.tenant, batch_id)
        found = await classifications.of_batch(transaction, door.tenant, batch.id)
    statuses = [one.status for one in found]
    summary = Summary(batch.total, statuses.count(Status.COMPLETED), statuses.count(Status.FAILED))
    body = FullBatch(
        **BatchOutput.of(batch, summary).model_dump(exclude_unset=True),
        classifications=[BatchItem.of(one) for one in found],
    )
    return answer(body)
