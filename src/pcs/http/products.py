"""Products on the wire: create, read, list. The trap: creating one costs nothing, so nothing is queued here."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.classifications import service as classifications
from pcs.http.access import Access, access_for, answer, require
from pcs.http.bodies import BodyRoute
from pcs.http.lists import BY_METADATA, AskedMetadata, ListOf, PageQuery, paged
from pcs.http.openapi import creating, refusing
from pcs.http.submitted import ProductEnvelope
from pcs.http.urls import check_image_urls
from pcs.http.wordings import Reader, read_in
from pcs.organizations.model import Scope
from pcs.products import service as products
from pcs.wire.base import Identifier
from pcs.wire.classifications import ClassificationOutput
from pcs.wire.products import FullProduct

router = APIRouter(route_class=BodyRoute, tags=["products"])


class ProductWithClassifications(FullProduct):
    """A product and every classification under it, newest first."""

    classifications: list[ClassificationOutput]


class ProductQuery(PageQuery):
    """Which products to list."""

    identifier: Identifier | None = Field(default=None, description="Only products with this identifier.")


@router.post("/products", status_code=201, response_model=FullProduct, responses=creating(charged=False))
async def create_product(
    body: ProductEnvelope, access: Annotated[Access, access_for(Scope.PRODUCTS_WRITE)]
) -> Response:
    """Create a product without classifying it. No credits are consumed."""
    fields = body.product.fields()
    check_image_urls(access.service, [fields], "product")

    async def work(transaction: Transaction) -> Response:
        [product] = await products.create(transaction, access.tenant, [fields], now=access.now)
        return answer(FullProduct.of(product), 201)

    return await access.write_once(work)


@router.get("/products", response_model=ListOf[FullProduct], responses=refusing(400), openapi_extra=BY_METADATA)
async def list_products(
    query: Annotated[ProductQuery, Query()],
    metadata: AskedMetadata,
    access: Annotated[Access, access_for(Scope.PRODUCTS_READ)],
) -> Response:
    """List products, newest first."""
    wanted = query.slice(ids.PRODUCT)
    async with access.read() as transaction:
        found = await products.list_page(
            transaction, access.tenant, wanted, identifier=query.identifier, metadata=metadata
        )
    return answer(paged(found, [FullProduct.of(product) for product in found.items]))


@router.get("/products/{product_id}", response_model=ProductWithClassifications, responses=refusing(400, 404))
async def get_product(
    product_id: str, access: Annotated[Access, access_for(Scope.PRODUCTS_READ)], language: Reader = None
) -> Response:
    """Get a product and every classification under it. Needs `classifications:read` too."""
    require(access.key, Scope.CLASSIFICATIONS_READ)
    async with access.read() as transaction:
        product = await products.get(transaction, access.tenant, product_id)
        found = await classifications.of_product(transaction, access.tenant, product_id)
    body = ProductWithClassifications(
        **FullProduct.of(product).model_dump(exclude_unset=True),
        classifications=[ClassificationOutput.of(one) for one in await read_in(access, found, language)],
    )
    return answer(body)
