"""Uploads: kept until they are submitted, and submitted once. The trap: a double click that pays twice; so it begins
with one UPDATE that can lose."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Mapping, Sequence
from io import BytesIO

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.errors import InvalidRequestError, NotFoundError, Violation
from pcs.base.tenancy import Tenant
from pcs.batches import service as batches
from pcs.batches.model import MAX_PRODUCTS
from pcs.classifications import service as classifications
from pcs.classifications.model import Classification, ClassificationOptions
from pcs.products import service as products
from pcs.products.columns import known_titles
from pcs.products.tables import ProductRow
from pcs.spreadsheets.keeping import KEPT, kept_text
from pcs.spreadsheets.model import SpreadsheetError
from pcs.spreadsheets.reading import read_sheet
from pcs.tariff.revision import ScheduleName
from pcs.uploads import store
from pcs.uploads.model import LIMITS, SubmittedAlreadyError, Upload

UPLOAD = "upload"
_KEPT = dt.timedelta(days=1)
_LONGEST_NAME = 255  # characters: no file system has more


def read_file(content: bytes) -> str:
    """The rows of a file, as they are kept. Takes seconds for a large workbook. Raises InvalidRequestError."""
    try:
        sheet = read_sheet(BytesIO(content), LIMITS, known_titles)
        if next(sheet.rows(), None) is not None:
            return kept_text(sheet)
    except SpreadsheetError as error:
        raise InvalidRequestError(Violation("file", str(error))) from None
    raise InvalidRequestError(Violation("file", "has a header and no rows below it"))


async def keep(transaction: Transaction, tenant: Tenant, upload: Upload, *, member_id: str) -> None:
    """Keep a file until it is submitted, a day at most."""
    await store.forget(transaction, before=upload.created_at - _KEPT)
    await store.add(transaction, tenant, upload, member_id=member_id)


def new_upload(file_name: str, content: str, schedules: Sequence[ScheduleName], *, now: dt.datetime) -> Upload:
    """A file as it was uploaded; `content` is from `read_file`. Raises InvalidRequestError: its name is too long."""
    if len(file_name) > _LONGEST_NAME:
        raise InvalidRequestError(Violation("file", f"has a name of more than {_LONGEST_NAME} characters: rename it"))
    return Upload(ids.new_id(UPLOAD), file_name, content, tuple(schedules), (), now)


async def get(transaction: Transaction, tenant: Tenant, upload_id: str) -> Upload:
    """A tenant's upload. Raises NotFoundError; InvalidRequestError where a version before kept what is refused now."""
    upload = await store.get(transaction, tenant, upload_id) if ids.is_id(UPLOAD, upload_id) else None
    if upload is None:
        msg = "There is no such upload. Files that nobody submits are forgotten after a day."
        raise NotFoundError(msg)
    if upload.submitted_at is None and not upload.content.startswith(KEPT):  # kept by version 0.1.0, as it came
        return dataclasses.replace(upload, content=read_file(upload.content.encode()))
    return upload


async def submit(
    transaction: Transaction, tenant: Tenant, upload: Upload, columns: Mapping[str, int], *, now: dt.datetime
) -> Upload:
    """Classify the good rows of an upload, read with these columns, a hundred products a batch.

    Raises InvalidRequestError where no row is good, SubmittedAlreadyError or InsufficientCreditsError.
    """
    if not await store.claim(transaction, tenant, upload.id, now=now):
        msg = "This file has been submitted already."
        raise SubmittedAlreadyError(msg)
    good = [row for row in upload.table(columns).rows() if row.product is not None]
    if not good:
        raise InvalidRequestError(Violation("file", "has no row that can be sent"))
    batch_ids = [
        await _send(transaction, tenant, upload, good[start : start + MAX_PRODUCTS], now=now)
        for start in range(0, len(good), MAX_PRODUCTS)
    ]
    await store.set_sent(transaction, upload.id, batch_ids, columns, [row.row.number for row in good])
    return await get(transaction, tenant, upload.id)


async def _send(
    transaction: Transaction, tenant: Tenant, upload: Upload, part: Sequence[ProductRow], *, now: dt.datetime
) -> str:
    submitted = [row.product for row in part if row.product is not None]
    total = len(submitted) * len(upload.schedules)
    batch = await batches.open_batch(transaction, tenant, total=total, webhook_url=None, now=now)
    stored = await products.create(transaction, tenant, submitted, now=now)
    terms = ClassificationOptions(schedules=upload.schedules, batch_id=batch.id)
    await classifications.accept(transaction, tenant, stored, terms, now=now)
    return batch.id


async def answers(transaction: Transaction, tenant: Tenant, upload: Upload) -> list[Classification]:
    """Every classification of an upload, product by product, the schedules of each in their order; where questions were
    answered, what came of the answers."""
    found: list[Classification] = []
    for batch_id in upload.batch_ids:
        found += await classifications.of_batch(transaction, tenant, batch_id)
    return await classifications.newest(transaction, tenant, found)
