"""What can be done with batches. The trap: announcing the end twice, or never; `finish` tells exactly one caller
that its classifications were the last."""

from __future__ import annotations

import datetime as dt

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.errors import NotFoundError
from pcs.base.paging import Page, Slice
from pcs.base.tenancy import Tenant
from pcs.batches import store
from pcs.batches.model import Batch


async def open_batch(
    transaction: Transaction,
    tenant: Tenant,
    *,
    total: int,
    webhook_url: str | None,
    now: dt.datetime,
    is_audit: bool = False,
) -> Batch:
    """A batch of `total` classifications, which the caller stores in the same transaction."""
    batch = Batch(
        id=ids.new_id(ids.BATCH),
        tenant=tenant,
        total=total,
        unfinished=total,
        created_at=now,
        webhook_url=webhook_url,
        is_audit=is_audit,
    )
    await store.add(transaction, batch)
    return batch


async def get(transaction: Transaction, tenant: Tenant, batch_id: str) -> Batch:
    """A tenant's batch. Raises NotFoundError."""
    batch = await store.get(transaction, tenant, batch_id) if ids.is_id(ids.BATCH, batch_id) else None
    if batch is None:
        msg = f"There is no batch {batch_id}."
        raise NotFoundError(msg)
    return batch


async def list_page(
    transaction: Transaction, tenant: Tenant, wanted: Slice, *, audits_only: bool = False
) -> Page[Batch]:
    """A tenant's batches, newest first."""
    return await store.list_page(transaction, tenant, wanted, audits_only=audits_only)


async def finish(transaction: Transaction, batch_id: str, number: int, *, now: dt.datetime) -> Batch | None:
    """Count so many classifications down; the completed batch if its last was among them, None otherwise."""
    batch = await store.count_down(transaction, batch_id, number, now=now)
    return None if batch.unfinished else batch
