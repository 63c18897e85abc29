"""Audits on the wire: products with the codes that they are filed under. The trap: an audit half stored; one product
that is not valid rejects all of it, and nothing is charged."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from pcs.audits import service as audits
from pcs.base.database import Transaction
from pcs.base.errors import NotFoundError
from pcs.batches import service as batches
from pcs.batches.model import MAX_PRODUCTS
from pcs.classifications import endings
from pcs.classifications import service as classifications
from pcs.http.access import Access, access_for, answer
from pcs.http.bodies import BodyRoute
from pcs.http.bulk import accepted_batch, page_of_batches
from pcs.http.lists import ListOf, PageQuery
from pcs.http.openapi import creating, refusing
from pcs.http.submitted import Options, ProductInput, refuse_on_request, require_law, terms_of
from pcs.organizations.model import Scope
from pcs.products import service as products
from pcs.wire.audits import FullAudit, TotalsOutput
from pcs.wire.base import Wire
from pcs.wire.batches import BatchItem, BatchOutput, SubmittedBatch

router = APIRouter(route_class=BodyRoute, tags=["audits"])


class AuditInput(Wire):
    """Products, each with at least one declared code; it is classified under the schedules of its codes."""

    products: Annotated[list[ProductInput], Field(min_length=1, max_length=MAX_PRODUCTS)]
    options: Options | None = Field(default=None, description="`webhook_url` also receives `batch.completed`.")


@router.post("/audits", status_code=202, response_model=SubmittedBatch, responses=creating(charged=True))
async def create_audit(
    body: AuditInput, access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_WRITE)]
) -> Response:
    """Compare the declared codes of up to 100 products with those found. One credit for each declared code."""
    terms = terms_of(access, [], body.options)
    fields = [one.fields() for one in body.products]
    audits.require_declared(fields)
    await require_law(access, fields, tuple({schedule for one in fields for schedule in one.declared_codes}))
    refuse_on_request(access, fields)

    async def work(transaction: Transaction) -> Response:
        created = await products.create(transaction, access.tenant, fields, now=access.now)
        batch, accepted = await audits.submit(
            transaction, access.tenant, created, webhook_url=terms.webhook_url, now=access.now
        )
        return await accepted_batch(transaction, access, batch, accepted, path="audits")

    return await access.write_once(work)


@router.get("/audits", response_model=ListOf[BatchOutput], responses=refusing(400))
async def list_audits(
    query: Annotated[PageQuery, Query()], access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)]
) -> Response:
    """List audits, newest first."""
    return await page_of_batches(access, query, audits_only=True)


@router.get("/audits/{batch_id}", response_model=FullAudit, responses=refusing(404))
async def get_audit(batch_id: str, access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)]) -> Response:
    """Get an audit: its totals and its classifications so far, most at stake first."""
    async with access.read() as transaction:
        batch = await batches.get(transaction, access.tenant, batch_id)
        if not batch.is_audit:
            msg = f"There is no audit {batch_id}."
            raise NotFoundError(msg)
        [summary] = await endings.summaries(transaction, [batch])
        totals = await audits.totals(transaction, access.tenant, batch.id)
        found = await classifications.of_batch(transaction, access.tenant, batch.id)
    body = FullAudit(
        **BatchOutput.of(batch, summary).model_dump(exclude_unset=True),
        totals=TotalsOutput.of(totals),
        classifications=[BatchItem.of(one) for one in audits.by_risk(found)],
    )
    return answer(body)
