"""Uploaded tables: kept until they are submitted, and submitted once. The trap: a double click that pays twice; so it
begins with one UPDATE that can lose."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.errors import NotFoundError, RefusalError
from pcs.base.tenancy import Tenant
from pcs.batches import service as batches
from pcs.batches.model import MAX_PRODUCTS
from pcs.classifications import service as classifications
from pcs.classifications import uploads_store as store
from pcs.classifications.model import Terms
from pcs.classifications.tables import Upload, read_table
from pcs.products import service as products
from pcs.tariff.revision import ScheduleName

UPLOAD = "upload"
_KEPT = dt.timedelta(days=1)


class SubmittedAlreadyError(RefusalError):
    """An upload is submitted once."""


async def keep(transaction: Transaction, tenant: Tenant, upload: Upload, *, member_id: str) -> None:
    """Keep a file until it is submitted, a day at most."""
    await store.forget(transaction, before=upload.created_at - _KEPT)
    await store.add(transaction, tenant, upload, member_id=member_id)


def new_upload(file_name: str, content: str, schedules: Sequence[ScheduleName], *, now: dt.datetime) -> Upload:
    """A file as it was uploaded."""
    return Upload(ids.new_id(UPLOAD), file_name[:200], content, tuple(schedules), (), now)


async def get(transaction: Transaction, tenant: Tenant, upload_id: str) -> Upload:
    """A tenant's upload. Raises NotFoundError."""
    upload = await store.get(transaction, tenant, upload_id) if ids.is_id(UPLOAD, upload_id) else None
    if upload is None:
        msg = "There is no such upload. Files that nobody submits are forgotten after a day."
        raise NotFoundError(msg)
    return upload


async def submit(transaction: Transaction, tenant: Tenant, upload: Upload, *, now: dt.datetime) -> Upload:
    """Classify the good rows of an upload, a hundred products a batch.

    Raises SubmittedAlreadyError or InsufficientCreditsError.
    """
    if not await store.claim(transaction, tenant, upload.id, now=now):
        msg = "This file has been submitted already."
        raise SubmittedAlreadyError(msg)
    submitted = read_table(upload.content).products
    batch_ids = []
    for start in range(0, len(submitted), MAX_PRODUCTS):
        part = submitted[start : start + MAX_PRODUCTS]
        total = len(part) * len(upload.schedules)
        batch = await batches.open_batch(transaction, tenant, total=total, webhook_url=None, now=now)
        stored = await products.create(transaction, tenant, part, now=now)
        terms = Terms(schedules=upload.schedules, batch_id=batch.id)
        await classifications.accept(transaction, tenant, stored, terms, now=now)
        batch_ids.append(batch.id)
    await store.set_batches(transaction, upload.id, batch_ids)
    return await get(transaction, tenant, upload.id)
