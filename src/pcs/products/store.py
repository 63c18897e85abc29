"""All SQL of products. The trap: a look-up by id alone; each filters on organization and environment too."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from sqlalchemy import Column, Date, ForeignKey, RowMapping, Table, Text, select
from sqlalchemy.dialects.postgresql import JSONB

from pcs.base.database import MOMENT, Insertion, Transaction, metadata
from pcs.base.owned import owned
from pcs.base.paging import Page, Slice, page
from pcs.base.tenancy import Tenant
from pcs.products.model import ProductFields, StoredProduct
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

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
    Column("declared_codes", JSONB(none_as_null=True)),
    Column("attributes", JSONB(none_as_null=True)),
    Column("entry_date", Date),
    Column("metadata", JSONB(none_as_null=True)),
    Column("image_urls", JSONB(none_as_null=True)),
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
            "declared_codes": declared_document(product.fields),
            "attributes": attributes_document(product.fields),
            "entry_date": product.fields.entry_date,
            "metadata": metadata_document(product.fields.metadata),
            "image_urls": image_urls_document(product.fields),
            "created_at": product.created_at,
        }
        for product in added
    ]
    await _ADD.post(transaction, rows)


async def get(transaction: Transaction, tenant: Tenant, product_id: str) -> StoredProduct | None:
    """A tenant's product."""
    query = select(products).where(
        products.c.id == product_id,
        owned(products, tenant),
    )
    row = (await transaction.execute(query)).mappings().one_or_none()
    return None if row is None else _product(row)


async def list_page(
    transaction: Transaction,
    tenant: Tenant,
    wanted: Slice,
    *,
    identifier: str | None,
    metadata: Mapping[str, str] | None = None,
) -> Page[StoredProduct]:
    """A tenant's products, newest first; with `identifier` or `metadata` only those that carry it."""
    query = select(products).where(
        owned(products, tenant),
    )
    if identifier is not None:
        query = query.where(products.c.identifier == identifier)
    if metadata:
        query = query.where(products.c.metadata.contains(dict(metadata)))
    rows = (await transaction.execute(wanted.of(query, products.c.id))).mappings()
    return page([_product(row) for row in rows], wanted, lambda product: product.id)


def declared_document(fields: ProductFields) -> str | None:
    """The declared codes as they are stored, in JSON; None where there are none."""
    return json.dumps(fields.declared_codes) if fields.declared_codes else None


def declared_from(document: Mapping[str, str] | None) -> dict[ScheduleName, Code]:
    """The declared codes of a stored document."""
    return {ScheduleName(name): Code(code) for name, code in (document or {}).items()}


def attributes_document(fields: ProductFields) -> str | None:
    """The attributes as they are stored, in JSON; None where there are none."""
    return json.dumps(dict(fields.attributes), ensure_ascii=False) if fields.attributes else None


def metadata_document(metadata: Mapping[str, str]) -> str | None:
    """Metadata as it is stored, in JSON; None where there is none."""
    return json.dumps(dict(metadata), ensure_ascii=False) if metadata else None


def image_urls_document(fields: ProductFields) -> str | None:
    """The addresses of pictures as they are stored, in JSON; None where there are none."""
    return json.dumps(fields.image_urls) if fields.image_urls else None


def _product(row: RowMapping) -> StoredProduct:
    names = ("name", "description", "identifier", "country_of_origin", "language", "entry_date")
    declared = declared_from(row["declared_codes"])
    plain = {name: row[name] for name in names}
    fields = ProductFields(
        **plain,
        declared_codes=declared,
        attributes=row["attributes"] or {},
        metadata=row["metadata"] or {},
        image_urls=tuple(row["image_urls"] or ()),
    )
    return StoredProduct(id=row["id"], fields=fields, created_at=row["created_at"])
