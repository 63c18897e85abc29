"""What can be done with products. The trap: telling "unknown" from "another tenant's"; both are not found."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.errors import NotFoundError
from pcs.base.paging import Page, Slice
from pcs.base.tenancy import Tenant
from pcs.products import store
from pcs.products.model import ProductFields, StoredProduct


async def create(
    transaction: Transaction, tenant: Tenant, submitted: Sequence[ProductFields], *, now: dt.datetime
) -> list[StoredProduct]:
    """Store products, in the order given; no credits are consumed."""
    names = ids.new_ids(ids.PRODUCT, len(submitted))
    created = [StoredProduct(name, fields, now) for name, fields in zip(names, submitted, strict=True)]
    await store.add(transaction, tenant, created)
    return created


async def get(transaction: Transaction, tenant: Tenant, product_id: str) -> StoredProduct:
    """A tenant's product. Raises NotFoundError."""
    product = await store.get(transaction, tenant, product_id) if ids.is_id(ids.PRODUCT, product_id) else None
    if product is None:
        msg = f"There is no product {product_id}."
        raise NotFoundError(msg)
    return product


async def list_page(
    transaction: Transaction,
    tenant: Tenant,
    wanted: Slice,
    *,
    identifier: str | None = None,
    metadata: Mapping[str, str] | None = None,
) -> Page[StoredProduct]:
    """A tenant's products, newest first; with `identifier` or `metadata` only those that carry it."""
    return await store.list_page(transaction, tenant, wanted, identifier=identifier, metadata=metadata)
