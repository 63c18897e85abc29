"""Batches on the wire. The trap: a batch half stored; one invalid product rejects all of it, and nothing is charged."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.batches import service as batches
from pcs.batches.model import MAX_PRODUCTS, Batch, BatchSummary
from pcs.classifications import consistency, endings
from pcs.classifications import service as classifications
from pcs.classifications.model import Classification, Status
from pcs.http.access import Access, access_for, answer
from pcs.http.bodies import BodyRoute
from pcs.http.lighter import UNCHANGED, packed, tagged
from pcs.http.lists import ListOf, PageQuery, paged
from pcs.http.openapi import creating, refusing
from pcs.http.progress import look, progress
from pcs.http.streams import STREAMED, wants_stream
from pcs.http.submitted import CarriedMetadata, Options, ProductInput, refuse_on_request, require_law, terms_of
from pcs.http.urls import check_image_urls
from pcs.http.waiting import Waiting, confirmed
from pcs.http.wordings import Reader, read_in
from pcs.organizations.model import Scope
from pcs.products import service as products
from pcs.wire.base import API_PREFIX, Schedules, Wire
from pcs.wire.batches import BatchItem, BatchOutput, BatchStub, FullBatch, SubmittedBatch
from pcs.wire.classifications import stub_fields

router = APIRouter(route_class=BodyRoute, tags=["batches"])


class View(StrEnum):
    """How much of a batch to show."""

    FULL = "full"
    SUMMARY = "summary"


class BulkInput(Wire):
    """Products, and the schedules to classify each of them under."""

    products: Annotated[list[ProductInput], Field(min_length=1, max_length=MAX_PRODUCTS)]
    schedules: Schedules
    options: Options | None = Field(default=None, description="`webhook_url` also receives `batch.completed`.")
    metadata: CarriedMetadata = None


@router.post("/classifications/bulk", status_code=202, response_model=SubmittedBatch, responses=creating(charged=True))
async def classify_bulk(
    body: BulkInput, access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_WRITE)]
) -> Response:
    """Submit up to 100 products at once. One credit for each product and schedule."""
    terms = terms_of(access, body.schedules, body.options, body.metadata)
    fields = [one.fields() for one in body.products]
    check_image_urls(access.service, fields)
    await require_law(access, fields, terms.schedules)
    refuse_on_request(access, fields)

    async def work(transaction: Transaction) -> Response:
        total = len(fields) * len(terms.schedules)
        batch = await batches.open_batch(
            transaction, access.tenant, total=total, webhook_url=terms.webhook_url, now=access.now
        )
        created = await products.create(transaction, access.tenant, fields, now=access.now)
        accepted = await classifications.accept(
            transaction, access.tenant, created, terms.in_batch(batch.id), now=access.now
        )
        return await accepted_batch(transaction, access, batch, accepted, path="classifications/bulk")

    return await access.write_once(work)


async def accepted_batch(
    transaction: Transaction, access: Access, batch: Batch, accepted: Sequence[Classification], *, path: str
) -> Response:
    """The answer to whoever submitted a batch, which is polled at this path."""
    body = SubmittedBatch(
        **BatchOutput.of(batch, BatchSummary(batch.total, 0, 0)).model_dump(exclude_unset=True),
        classifications=[BatchStub(product_id=one.product_id, **stub_fields(one)) for one in accepted],
        poll_url=f"{API_PREFIX}/{path}/{batch.id}",
        estimated_completion_seconds=await access.service.estimates.seconds(
            transaction, access.tenant.environment, now=access.now
        ),
    )
    return answer(body, 202)


@router.get("/classifications/bulk", response_model=ListOf[BatchOutput], responses=refusing(400))
async def list_batches(
    query: Annotated[PageQuery, Query()], access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)]
) -> Response:
    """List batches, newest first."""
    return await page_of_batches(access, query)


async def page_of_batches(access: Access, query: PageQuery, *, audits_only: bool = False) -> Response:
    """A page of the tenant's batches, each with its progress."""
    wanted = query.slice(ids.BATCH)
    async with access.read() as transaction:
        found = await batches.list_page(transaction, access.tenant, wanted, audits_only=audits_only)
        summaries = await endings.summaries(transaction, found.items)
    return answer(paged(found, [BatchOutput.of(*pair) for pair in zip(found.items, summaries, strict=True)]))


@router.get(
    "/classifications/bulk/{batch_id}",
    response_model=FullBatch | BatchOutput,
    responses=refusing(400, 404) | STREAMED | UNCHANGED,
)
async def get_batch(
    request: Request,
    batch_id: str,
    access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)],
    wait: Waiting,
    *,
    view: Annotated[View, Query(description="`summary` leaves the classifications out.")] = View.FULL,
    language: Reader = None,
) -> Response:
    """Get a batch's progress and its results so far; with `Accept: text/event-stream` the progress as it changes."""
    if wants_stream(request):
        return progress(access, batch_id, await look(access, batch_id))
    if wait is not None:
        await wait.until_final(access, {batch_id})
    if view is View.SUMMARY:
        body: BatchOutput = await look(access, batch_id)
    else:
        body = await _full(access, batch_id, language)
    return confirmed(wait, await packed(request, tagged(request, answer(body))))


async def _full(access: Access, batch_id: str, language: str | None) -> FullBatch:
    async with access.read() as transaction:
        batch = await batches.get(transaction, access.tenant, batch_id)
        found = await classifications.of_batch(transaction, access.tenant, batch.id)
        compared = await consistency.beside(transaction, access.tenant, found)
    statuses = [one.status for one in found]
    summary = BatchSummary(batch.total, statuses.count(Status.COMPLETED), statuses.count(Status.FAILED))
    shown = await read_in(access, compared, language)
    return FullBatch(
        **BatchOutput.of(batch, summary).model_dump(exclude_unset=True),
        classifications=[BatchItem.of(one) for one in shown],
    )
