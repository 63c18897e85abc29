"""All SQL of products. The trap: a look-up by id alone; each filters on organization and environment too."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Column, ForeignKey, RowMapping, Table, Text, select

from pcs.base.database import MOMENT, Insertion, Transaction, metadata
from pcs.base.owned import owned
from pcs.base.paging import Page, Slice, page
from pcs.base.tenancy import Tenant
from pcs.products.model import ProductFields, StoredProduct

products = Table(
    "products",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("environment", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("description", Text),
    Column("identifier", Text),
    Column("country_of_origin", Text),
    Column("language", Text),
    Column("created_at", MOMENT, nullable=False),
)

_ADD = Insertion(products)


async def add(transaction: Transaction, tenant: Tenant, added: Sequence[StoredProduct]) -> None:
    """Store new products."""
    rows = [
        {
            "id": product.id,
            **tenant.columns,
            "name": product.fields.name,
            "description": product.fields.description,
            "identifier": product.fields.identifier,
            "country_of_origin": product.fields.country_of_origin,
            "language": product.fields.language,
            "created_at": product.created_at,
        }
        for product in added
    ]
    await _ADD.run(transaction, rows)


async def get(transaction: Transaction, tenant: Tenant, product_id: str) -> StoredProduct | None:
    """A tenant's product."""
    query = select(products).where(
        products.c.id == product_id,
        owned(products, tenant),
    )
    row = (await transaction.execute(query)).mappings().one_or_none()
    return None if row is None else _product(row)


async def list_page(
    transaction: Transaction, tenant: Tenant, wanted: Slice, *, identifier: str | None
) -> Page[StoredProduct]:
    """A tenant's products, newest first; with `identifier` only those that carry it."""
    query = select(products).where(
        owned(products, tenant),
    )
    if identifier is not None:
        query = query.where(products.c.identifier == identifier)
    rows = (await transaction.execute(wanted.of(query, products.c.id))).mappings()
    return page([_product(row) for row in rows], wanted, lambda product: product.id)


def _product(row: RowMapping) -> StoredProduct:
    names = ("name", "description", "identifier", "country_of_origin", "language")
    fields = ProductFields(*(row[name] for name in names))
    return StoredProduct(id=row["id"], fields=fields, created_at=row["created_at"])
