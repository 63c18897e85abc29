"""Uploads: kept until they are submitted, and submitted once. The traps: a double click that pays twice, so it begins
with one UPDATE that can lose; and a hundred thousand rows in one transaction, so the first are sent with the answer and
a job sends the rest, part by part, as the ones before are analysed."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import Iterable, Mapping, Sequence

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.errors import InvalidRequestError, NotFoundError, Violation
from pcs.base.queue import Order, defer
from pcs.base.tenancy import Tenant
from pcs.batches import service as batches
from pcs.batches.model import BatchSummary
from pcs.classifications import service as classifications
from pcs.classifications.model import Classification, ClassificationOptions, Status
from pcs.lists import service as lists
from pcs.organizations import service as organizations
from pcs.products import service as products
from pcs.products.tables import ProductRow, Survey, Surveying, require_name
from pcs.spreadsheets.model import SpreadsheetError
from pcs.tariff.revision import ScheduleName
from pcs.uploads import store
from pcs.uploads.model import SEND, SubmittedAlreadyError, Upload, UploadPart
from pcs.uploads.reading import ReadFile

UPLOAD = "upload"
_KEPT = dt.timedelta(days=1)
_LONGEST_NAME = 255  # characters: no file system has more
_AT_ONCE = 10  # parts that are sent with the answer
_MORE = 5  # parts that a job sends
_MOST_WAITING = 2_000  # classifications of an upload in the queue: minutes of work, and no heap
_PAUSE = dt.timedelta(seconds=1)


def new_upload(file_name: str, read: ReadFile, schedules: Sequence[ScheduleName], *, now: dt.datetime) -> Upload:
    """A file as it was uploaded. Raises InvalidRequestError: its name is too long."""
    if len(file_name) > _LONGEST_NAME:
        raise InvalidRequestError(Violation("file", f"has a name of more than {_LONGEST_NAME} characters: rename it"))
    return Upload(ids.new_id(UPLOAD), file_name, read.head, tuple(schedules), now, rows=read.rows)


async def keep(
    transaction: Transaction, tenant: Tenant, upload: Upload, read: ReadFile, *, member_id: str | None
) -> None:
    """Keep a file until it is submitted, a day at most."""
    await store.forget(transaction, before=upload.created_at - _KEPT)
    await store.add(transaction, tenant, upload, member_id=member_id)
    while parts := await asyncio.to_thread(read.next_parts):
        await store.add_parts(transaction, upload.id, parts)


async def get(transaction: Transaction, tenant: Tenant, upload_id: str) -> Upload:
    """A tenant's upload. Raises NotFoundError."""
    upload = await store.get(transaction, tenant, upload_id) if ids.is_id(UPLOAD, upload_id) else None
    if upload is None:
        msg = "There is no such upload. Files that nobody submits are forgotten after a day."
        raise NotFoundError(msg)
    return upload


def survey_of(upload: Upload, read: ReadFile, columns: Mapping[str, int]) -> Survey:
    """What reading all rows of a file with these columns tells. Takes seconds for a large one."""
    surveying = Surveying(len(upload.table().sheet.titles))
    while parts := read.next_parts():
        for part in parts:
            _look_at(surveying, upload.products(part, columns))
    read.parts.seek(0)
    return surveying.found()


async def survey(transaction: Transaction, upload: Upload, columns: Mapping[str, int]) -> Survey:
    """The same for one that is kept."""
    surveying = Surveying(len(upload.table().sheet.titles))
    async for part in store.every_part(transaction, upload.id):
        await asyncio.to_thread(_look_at, surveying, upload.products(part, columns))
    return surveying.found()


async def submit(
    transaction: Transaction,
    tenant: Tenant,
    upload: Upload,
    columns: Mapping[str, int],
    found: Survey,
    *,
    now: dt.datetime,
) -> Upload:
    """Classify the good rows of an upload, read with these columns, as `found` has it; a hundred rows a batch.

    Raises InvalidRequestError where no row is good, SubmittedAlreadyError or InsufficientCreditsError.
    """
    if not await store.claim(transaction, tenant, upload.id, now=now):
        msg = "This file has been submitted already."
        raise SubmittedAlreadyError(msg)
    if not found.good:
        raise InvalidRequestError(Violation("file", f"has no row that can be sent{_first_problem(found)}"))
    await organizations.require_credits(transaction, tenant, found.good * len(upload.schedules))
    problems = [{"row": one.row.number, "message": "; ".join(one.problems)} for one in found.bad]
    said = {"columns": dict(columns), "good": found.good, "width": found.width, "problems": problems}
    await store.set_survey(transaction, upload.id, said)
    submitted = await get(transaction, tenant, upload.id)
    await _send(transaction, tenant, submitted, most=_AT_ONCE, now=now)
    if await store.is_waiting(transaction, upload.id):
        await defer(transaction, SEND, [Order(upload.id)])
    return submitted


def _look_at(surveying: Surveying, rows: Iterable[ProductRow]) -> None:
    for row in rows:
        surveying.add(row)


def require_names(upload: Upload, columns: Mapping[str, int]) -> None:
    """Raise InvalidRequestError, in words that help, where no column gives the names of the products."""
    try:
        require_name(upload.table(columns))
    except SpreadsheetError as error:
        raise InvalidRequestError(Violation("file", str(error))) from None


def _first_problem(found: Survey) -> str:
    first = found.bad[0]
    return f": row {first.row.number}, {first.problems[0]}"


async def send_more(transaction: Transaction, upload_id: str, *, now: dt.datetime) -> None:
    """Send the next parts of an upload, unless enough of it waits, and see to it that the rest follows.

    Raises InsufficientCreditsError; then nothing of these is sent, and `stop` is to be called.
    """
    tenant = await store.tenant_of(transaction, upload_id)
    upload = await get(transaction, tenant, upload_id)
    if upload.stopped is not None:
        return
    enough = await store.unfinished(transaction, upload_id) >= _MOST_WAITING
    if not enough:
        await _send(transaction, tenant, upload, most=_MORE, now=now)
    if await store.is_waiting(transaction, upload_id):
        await defer(transaction, SEND, [Order(upload_id, at=now + _PAUSE if enough else None)])


async def stop(transaction: Transaction, upload_id: str, why: str) -> None:
    """Send no more of an upload, and tell why in its results."""
    await store.stop(transaction, upload_id, why)


async def _send(transaction: Transaction, tenant: Tenant, upload: Upload, *, most: int, now: dt.datetime) -> None:
    for part in await store.hold_waiting(transaction, upload.id, most=most):
        good = [row for row in upload.products(part, upload.columns) if row.product is not None]
        batch_id = await _send_part(transaction, tenant, upload, good, now=now) if good else None
        await store.set_sent(transaction, upload.id, part, batch_id, [row.row.number for row in good], now=now)


async def _send_part(
    transaction: Transaction, tenant: Tenant, upload: Upload, good: Sequence[ProductRow], *, now: dt.datetime
) -> str:
    submitted = [row.product for row in good if row.product is not None]
    total = len(submitted) * len(upload.schedules)
    batch = await batches.open_batch(transaction, tenant, total=total, webhook_url=None, now=now)
    stored = await products.create(transaction, tenant, submitted, now=now)
    terms = ClassificationOptions(schedules=upload.schedules, batch_id=batch.id)
    await classifications.accept(transaction, tenant, stored, terms, now=now)
    return batch.id


async def batch_ids(transaction: Transaction, upload: Upload) -> list[str]:
    """The batches that an upload became so far, in the order of its rows."""
    return await store.batch_ids(transaction, upload)


async def progress(transaction: Transaction, tenant: Tenant, upload: Upload) -> BatchSummary:
    """How far a submitted upload is; what is not sent yet is pending, and never comes once it was stopped."""
    counts = await lists.progress(transaction, tenant, await batch_ids(transaction, upload))
    total = sum(counts.values()) if upload.stopped or not upload.good else upload.total
    return BatchSummary(total, counts.get(Status.COMPLETED, 0), counts.get(Status.FAILED, 0))


async def answers(transaction: Transaction, tenant: Tenant, part: UploadPart) -> list[Classification]:
    """Every classification of a part, product by product, the schedules of each in their order; where questions were
    answered, what came of the answers."""
    if part.batch_id is None:
        return []
    found = await classifications.of_batch(transaction, tenant, part.batch_id)
    return await classifications.newest(transaction, tenant, found)
