"""Classifications on the wire: asking for them, and polling them.

The trap: a field that is sometimes null where the contract says it is absent; what is not there is not sent."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from starlette.responses import Response

from pcs.base.database import Transaction
from pcs.bootstrap import Service
from pcs.classifications import service as classifications
from pcs.classifications.model import Classification, Status, Terms
from pcs.http.door import Door, answer, door_for
from pcs.http.envelope import API_PREFIX
from pcs.http.products import ProductInput, ProductOutput
from pcs.http.urls import check_webhook_url
from pcs.http.wire import Schedules, Timestamp, Url, Wire
from pcs.organizations.model import Scope
from pcs.products import service as products
from pcs.products.model import StoredProduct
from pcs.tariff.revision import ScheduleName

router = APIRouter(tags=["classifications"])


class Options(Wire):
    """What may be said of a request as a whole."""

    webhook_url: Url | None = None


class ClassifyInput(Wire):
    """A product and the schedules to classify it under."""

    product: ProductInput
    schedules: Schedules
    options: Options | None = None


class Stub(Wire):
    """A classification as it is accepted."""

    id: str
    status: str
    schedule: str
    product_identifier: str | None = None
    poll_url: str

    @classmethod
    def of(cls, one: Classification) -> Stub:
        """The wire shape of an accepted classification."""
        optional = {} if one.goods.identifier is None else {"product_identifier": one.goods.identifier}
        path = f"{API_PREFIX}/classifications/{one.id}"
        return cls(id=one.id, status=one.status.value, schedule=one.schedule.value, poll_url=path, **optional)


class Accepted(Wire):
    """A product and its pending classifications."""

    product_id: str
    product: ProductOutput
    classifications: list[Stub]
    estimated_completion_seconds: int


class Goods(Wire):
    """The product of a classification; what the caller did not supply is absent."""

    name: str
    description: str | None = None
    identifier: str | None = None
    country_of_origin: str | None = None


class Usage(Wire):
    """What a classification took."""

    credits_consumed: int
    processing_time_ms: int


class FailureOutput(Wire):
    """Why a classification failed."""

    code: str
    message: str


class ClassificationOutput(Wire):
    """A classification. `result`, `usage` and `completed_at` come with `completed`, `error` with `failed`."""

    id: str
    status: str
    schedule: str
    product_id: str
    created_at: Timestamp
    completed_at: Timestamp | None = None
    product: Goods
    result: dict[str, Any] | None = None
    usage: Usage | None = None
    error: FailureOutput | None = None

    @classmethod
    def of(cls, one: Classification) -> ClassificationOutput:
        """The wire shape of a stored classification."""
        return cls(
            id=one.id,
            status=one.status.value,
            schedule=one.schedule.value,
            product_id=one.product_id,
            created_at=one.created_at,
            product=_goods(one),
            **_ending(one),
        )


def _goods(one: Classification) -> Goods:
    supplied = {
        "description": one.goods.description,
        "identifier": one.goods.identifier,
        "country_of_origin": one.goods.country_of_origin,
    }
    return Goods(name=one.goods.name, **{name: value for name, value in supplied.items() if value is not None})


def _ending(one: Classification) -> dict[str, Any]:
    if one.status is Status.COMPLETED:
        usage = Usage(credits_consumed=1, processing_time_ms=one.processing_time_ms or 0)
        return {"completed_at": one.completed_at, "result": one.result, "usage": usage}
    if one.failure is not None:
        return {"error": FailureOutput(code=one.failure.code.value, message=one.failure.message)}
    return {}


def terms_of(service: Service, schedules: list[str], options: Options | None) -> Terms:
    """How to classify. Raises InvalidRequestError for a URL that webhooks may not go to."""
    url = options.webhook_url if options else None
    if url is not None:
        check_webhook_url(service, "options.webhook_url", url)
    return Terms(schedules=tuple(map(ScheduleName, schedules)), webhook_url=url)


async def accept(transaction: Transaction, door: Door, product: StoredProduct, terms: Terms) -> Response:
    """Queue a product's classifications and answer 202."""
    settings = door.service.settings
    accepted = await classifications.accept(transaction, door.tenant, [product], terms, now=door.now)
    slots = max(1, settings.workers * settings.analysis_concurrency)
    body = Accepted(
        product_id=product.id,
        product=ProductOutput.of(product),
        classifications=[Stub.of(one) for one in accepted],
        estimated_completion_seconds=await classifications.estimated_seconds(transaction, slots=slots),
    )
    return answer(body, 202)


@router.post("/products/classify", status_code=202, response_model=Accepted)
async def classify(body: ClassifyInput, door: Annotated[Door, door_for(Scope.CLASSIFICATIONS_WRITE)]) -> Response:
    """Create a product and queue its classifications."""
    terms = terms_of(door.service, list(body.schedules), body.options)

    async def work(transaction: Transaction) -> Response:
        [product] = await products.create(transaction, door.tenant, [body.product.fields()], now=door.now)
        return await accept(transaction, door, product, terms)

    return await door.write_once(work)


@router.get("/classifications/{classification_id}", response_model=ClassificationOutput)
async def read(classification_id: str, door: Annotated[Door, door_for(Scope.CLASSIFICATIONS_READ)]) -> Response:
    """Get one classification."""
    async with door.read() as transaction:
        found = await classifications.get(transaction, door.tenant, classification_id)
    return answer(ClassificationOutput.of(found))
