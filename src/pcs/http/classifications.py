"""Classifications on the wire: ask for them, poll them, list them. The trap: a 202 before the work is safe; it is
answered in the transaction that stores it."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.classifications import consistency
from pcs.classifications import service as classifications
from pcs.classifications.model import Classification, ClassificationOptions, Status
from pcs.http.access import Access, access_for, answer
from pcs.http.bodies import BodyRoute
from pcs.http.lighter import UNCHANGED, packed, tagged
from pcs.http.lists import BY_METADATA, AskedMetadata, ListOf, Moment, PageQuery, Truth, paged
from pcs.http.openapi import Responses, changing, creating, refusing
from pcs.http.submitted import CarriedMetadata, Options, ProductInput, refuse_on_request, require_law, terms_of
from pcs.http.urls import check_image_urls
from pcs.http.waiting import Wait, Waiting, confirmed
from pcs.http.wordings import SAID, Reader, ReadIn, read_in
from pcs.lists import service as lists
from pcs.lists.model import Attention, Wanted
from pcs.organizations import audit
from pcs.organizations.model import Scope
from pcs.organizations.people import Action
from pcs.products import service as products
from pcs.products.model import StoredProduct
from pcs.tariff.revision import ScheduleName
from pcs.wire.base import Answer, Identifier, Schedules, Text, Wire
from pcs.wire.classifications import ClassificationOutput, FailureOutput, FinalOutput, Stub, ending, stub_fields
from pcs.wire.products import ProductOutput
from pcs.wire.results import AnyResult

router = APIRouter(route_class=BodyRoute, tags=["classifications"])


class ClassifyInput(Wire):
    """A product and the schedules to classify it under."""

    product: ProductInput
    schedules: Schedules
    options: Options | None = None
    metadata: CarriedMetadata = None


class ClassifyExistingInput(Wire):
    """A product that exists already, and the schedules to classify it under."""

    product_id: Text
    schedules: Schedules
    options: Options | None = None
    metadata: CarriedMetadata = None


class Accepted(Answer):
    """A product and its pending classifications, one for each schedule."""

    product_id: str
    product: ProductOutput
    classifications: list[Stub]
    estimated_completion_seconds: int = Field(description="Estimated from the length of the queue; not guaranteed.")


class FinishedStub(Stub):
    """A classification that is final within the time that its request waited: `result` or `error` beside the stub."""

    status: Status = Field(description="`completed` or `failed`")
    result: AnyResult | None = None
    error: FailureOutput | None = None
    final: FinalOutput | None = Field(
        default=None, description="What the goods are declared under; left out while nothing is decided."
    )

    @classmethod
    def of(cls, one: Classification) -> FinishedStub:
        """The wire shape of a final classification."""
        shown = {**stub_fields(one), **ending(one)}
        known = {name: value for name, value in shown.items() if name in cls.model_fields and value is not None}
        return cls(**known)


class Finished(Accepted):
    """A product and its classifications, all of them final."""

    classifications: list[FinishedStub]  # type: ignore[assignment] # each has all that a stub has


class Extra(StrEnum):
    """What else to show of a classification."""

    STEPS = "steps"


class Filtered(PageQuery):
    """Which classifications."""

    status: Status | None = None
    schedule: ScheduleName | None = None
    identifier: Identifier | None = Field(default=None, description="Only those of products with this identifier.")
    product_id: Text | None = None
    assigned_to: Text | None = Field(default=None, description="Only those that this member is to review.")
    batch_id: Text | None = None
    created_after: Moment | None = None
    created_before: Moment | None = None
    needs_review: Truth | None = Field(
        default=None, description="Whether the result needs review and has not been reviewed."
    )
    inconsistent: Truth | None = Field(
        default=None, description="`true`: only those of whose goods variants got other codes that nothing explains."
    )

    def wanted(self, metadata: dict[str, str]) -> Wanted:
        """The same, as the service knows it."""
        part = self.slice(ids.CLASSIFICATION)
        asked = self.model_dump(exclude={"limit", "cursor", "batch_id", "needs_review", "language"})
        return Wanted(
            **asked,
            metadata=metadata or None,
            batch_ids=None if self.batch_id is None else (self.batch_id,),
            attention=None if self.needs_review is None else _ATTENTION[self.needs_review],
            after=part.after,
            limit=part.limit,
        )


class ClassificationQuery(Filtered):
    """Which classifications to list, and in which language."""

    language: ReadIn | None = Field(default=None, description=SAID)


_DONE = {"estimated_completion_seconds": 0}
_ATTENTION = {True: Attention.WANTED, False: Attention.NOT_WANTED}


async def accept(
    transaction: Transaction, access: Access, product: StoredProduct, terms: ClassificationOptions
) -> Response:
    """Queue a product's classifications and answer 202."""
    accepted = await classifications.accept(transaction, access.tenant, [product], terms, now=access.now)
    body = Accepted(
        product_id=product.id,
        product=ProductOutput.of(product),
        classifications=[Stub.of(one) for one in accepted],
        estimated_completion_seconds=await access.service.estimates.seconds(
            transaction, access.tenant.environment, now=access.now
        ),
    )
    return answer(body, 202)


ANSWERED: Responses = {200: {"model": Finished, "description": "All of it is final in the time waited."}}


@router.post(
    "/products/classify", status_code=202, response_model=Accepted, responses=creating(charged=True) | ANSWERED
)
async def classify_product(
    body: ClassifyInput, access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_WRITE)], wait: Waiting
) -> Response:
    """Create a product and queue its classifications. One credit for each schedule.

    A request that waits is answered with 200 and the results if all of them are there in time.
    """
    terms = terms_of(access, body.schedules, body.options, body.metadata)
    fields = body.product.fields()
    check_image_urls(access.service, [fields], "product")
    await require_law(access, [fields], terms.schedules, "product")
    refuse_on_request(access, [fields])

    async def work(transaction: Transaction) -> Response:
        [product] = await products.create(transaction, access.tenant, [fields], now=access.now)
        return await accept(transaction, access, product, terms)

    return await answered(access, wait, await access.write_once(work))


@router.post(
    "/classifications", status_code=202, response_model=Accepted, responses=creating(404, charged=True) | ANSWERED
)
async def classify_existing(
    body: ClassifyExistingInput, access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_WRITE)], wait: Waiting
) -> Response:
    """Classify a product that exists already. One credit for each schedule.

    A request that waits is answered with 200 and the results if all of them are there in time.
    """
    terms = terms_of(access, body.schedules, body.options, body.metadata)

    async def work(transaction: Transaction) -> Response:
        product = await products.get(transaction, access.tenant, body.product_id)
        await require_law(access, [product.fields], terms.schedules, "product")
        refuse_on_request(access, [product.fields])
        return await accept(transaction, access, product, terms)

    return await answered(access, wait, await access.write_once(work))


async def answered(access: Access, wait: Wait | None, response: Response) -> Response:
    """The answer to who asked to wait: 200 with the results once all of them are there in time, otherwise as it is."""
    if wait is None:
        return response
    accepted = json.loads(bytes(response.body))
    ids = [stub["id"] for stub in accepted["classifications"]]
    await wait.until_final(access, ids)
    async with access.read() as transaction:
        found = await classifications.get_all(transaction, access.tenant, ids)
    if all(one.status.is_final for one in found.values()):
        shown = [FinishedStub.of(found[one]).model_dump(mode="json", exclude_unset=True) for one in ids]
        response.body = json.dumps({**accepted, "classifications": shown, **_DONE}, separators=(",", ":")).encode()
        response.status_code = 200
        response.headers["Content-Length"] = str(len(response.body))
    return confirmed(wait, response)


@router.get(
    "/classifications",
    response_model=ListOf[ClassificationOutput],
    responses=refusing(400),
    openapi_extra=BY_METADATA,
)
async def list_classifications(
    request: Request,
    query: Annotated[ClassificationQuery, Query()],
    metadata: AskedMetadata,
    access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)],
) -> Response:
    """List classifications, newest first."""
    async with access.read() as transaction:
        found = await lists.whole_page(transaction, access.tenant, query.wanted(metadata))
        compared = await consistency.beside(transaction, access.tenant, found.items)
    shown = await read_in(access, compared, query.language)
    return await packed(request, answer(paged(found, list(map(ClassificationOutput.of, shown)))))


@router.get(
    "/classifications/{classification_id}",
    response_model=ClassificationOutput,
    responses=refusing(400, 404) | UNCHANGED,
)
async def get_classification(
    classification_id: str,
    access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)],
    request: Request,
    wait: Waiting,
    *,
    expand: Annotated[Extra | None, Query(description="`steps` adds the steps of the analysis.")] = None,
    language: Reader = None,
) -> Response:
    """Get one classification."""
    if wait is not None:
        await wait.until_final(access, {classification_id})
    async with access.read() as transaction:
        found = await classifications.get(transaction, access.tenant, classification_id)
        steps = await classifications.get_steps(transaction, access.tenant, found.id) if expand else None
        compared = await consistency.beside(transaction, access.tenant, [found])
    [shown] = await read_in(access, compared, language)
    return confirmed(wait, tagged(request, answer(ClassificationOutput.of(shown, steps))))


@router.post(
    "/classifications/{classification_id}/cancel",
    response_model=ClassificationOutput,
    responses=changing(404, 409),
)
async def cancel_classification(
    classification_id: str, access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_WRITE)]
) -> Response:
    """Cancel a classification that is still pending. Its credit stays consumed, as for every failure."""
    async with access.write() as transaction:
        ended = await classifications.cancel(transaction, access.tenant, classification_id, now=access.now)
        await audit.record(transaction, access.actor, Action.CANCELLED, subject=ended.id, now=access.now)
    return answer(ClassificationOutput.of(ended))
