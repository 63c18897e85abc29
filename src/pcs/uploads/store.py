"""All SQL of uploads. The trap: a look-up by id alone; each filters on organization and environment too. Parts are read
only after their upload was found for the tenant."""

from __future__ import annotations

import datetime as dt
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ARRAY, Column, ForeignKey, Integer, RowMapping, Table, Text, delete, func, insert, select, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.dialects.postgresql import insert as upsert

from pcs.base.database import MOMENT, Transaction, metadata
from pcs.base.owned import owned
from pcs.base.tenancy import Environment, Tenant
from pcs.batches.store import batches
from pcs.tariff.revision import ScheduleName
from pcs.uploads.model import Upload, UploadPart
from pcs.uploads.reading import parts_before

uploads = Table(
    "uploads",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("environment", Text, nullable=False),
    Column("member_id", ForeignKey("members.id")),
    Column("file_name", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("schedules", ARRAY(Text), nullable=False),
    Column("batch_ids", ARRAY(Text), nullable=False),
    Column("created_at", MOMENT, nullable=False),
    Column("submitted_at", MOMENT),
    Column("columns", JSONB),
    Column("sent", ARRAY(Integer)),
    Column("rows", Integer),
    Column("good", Integer),
    Column("width", Integer),
    Column("problems", JSONB(none_as_null=True)),
    Column("stopped", Text),
)
upload_parts = Table(
    "upload_parts",
    metadata,
    Column("upload_id", ForeignKey("uploads.id", ondelete="CASCADE"), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("rows", Text, nullable=False),
    Column("batch_id", ForeignKey("batches.id")),
    Column("sent", ARRAY(Integer)),
    Column("sent_at", MOMENT),
)
_AT_A_TIME = 20  # parts


async def add(transaction: Transaction, tenant: Tenant, upload: Upload, *, member_id: str | None) -> None:
    """Store a new upload."""
    await transaction.execute(
        insert(uploads).values(
            id=upload.id,
            **tenant.columns,
            member_id=member_id,
            file_name=upload.file_name,
            content=upload.head,
            schedules=list(upload.schedules),
            batch_ids=[],
            created_at=upload.created_at,
            rows=upload.rows,
        ),
    )


async def add_parts(
    transaction: Transaction, upload_id: str, parts: Sequence[UploadPart], *, sent_at: dt.datetime | None = None
) -> None:
    """Store parts of an upload, unless they are there."""
    rows = [
        {
            "upload_id": upload_id,
            "place": part.place,
            "rows": part.rows,
            "batch_id": part.batch_id,
            "sent": list(part.sent),
            "sent_at": sent_at,
        }
        for part in parts
    ]
    await transaction.execute(upsert(upload_parts).on_conflict_do_nothing(), rows)


async def get(transaction: Transaction, tenant: Tenant, upload_id: str) -> Upload | None:
    """A tenant's upload; what a version before kept as one text is put into parts."""
    row = await _row(transaction, tenant, upload_id)
    if row is None or _is_too_old(row):
        return None
    if row["rows"] is None and row["content"].count("\n") > 1:
        await _put_into_parts(transaction, row)
        row = await _row(transaction, tenant, upload_id)
        assert row is not None
    return _upload(row)


def _is_too_old(row: RowMapping) -> bool:
    """Whether it waits since version 0.1.0, which kept files as they came: those are forgotten after a day."""
    return row["submitted_at"] is None and not row["content"].startswith('{"kind": ')


async def _row(transaction: Transaction, tenant: Tenant, upload_id: str) -> RowMapping | None:
    query = select(uploads).where(uploads.c.id == upload_id, owned(uploads, tenant))
    return (await transaction.execute(query)).mappings().one_or_none()


async def _put_into_parts(transaction: Transaction, row: RowMapping) -> None:
    content, sent = row["content"], tuple(row["sent"] or ())
    parts = list(parts_before(content, sent, tuple(row["batch_ids"])))
    await add_parts(transaction, row["id"], parts, sent_at=row["submitted_at"])
    number = content.count("\n") - 1
    changed = {"rows": number, "good": len(sent), "width": 0}
    await transaction.execute(update(uploads).where(uploads.c.id == row["id"]).values(changed))


async def tenant_of(transaction: Transaction, upload_id: str) -> Tenant:
    """Whose upload it is that is known to exist."""
    query = select(uploads.c.organization_id, uploads.c.environment).where(uploads.c.id == upload_id)
    row = (await transaction.execute(query)).one()
    return Tenant(row.organization_id, Environment(row.environment))


async def claim(transaction: Transaction, tenant: Tenant, upload_id: str, *, now: dt.datetime) -> bool:
    """Take the right to submit an upload; False where somebody has it already."""
    query = update(uploads).where(
        uploads.c.id == upload_id,
        owned(uploads, tenant),
        uploads.c.submitted_at.is_(None),
    )
    return (await transaction.execute(query.values(submitted_at=now))).rowcount == 1


async def set_survey(transaction: Transaction, upload_id: str, said: Mapping[str, Any]) -> None:
    """Remember with which columns an upload is sent, and what reading it with them has told."""
    await transaction.execute(update(uploads).where(uploads.c.id == upload_id).values(said))


async def stop(transaction: Transaction, upload_id: str, why: str) -> None:
    """Send no more of an upload."""
    await transaction.execute(update(uploads).where(uploads.c.id == upload_id).values(stopped=why))


async def parts(transaction: Transaction, upload_id: str, *, after: int = -1) -> list[UploadPart]:
    """The next few parts of an upload."""
    query = select(upload_parts).where(upload_parts.c.upload_id == upload_id, upload_parts.c.place > after)
    rows = (await transaction.execute(query.order_by(upload_parts.c.place).limit(_AT_A_TIME))).mappings()
    return list(map(_part, rows))


async def every_part(transaction: Transaction, upload_id: str) -> AsyncIterator[UploadPart]:
    """All parts of an upload, a few in memory at a time."""
    after = -1
    while found := await parts(transaction, upload_id, after=after):
        for part in found:
            yield part
        after = found[-1].place


async def hold_waiting(transaction: Transaction, upload_id: str, *, most: int) -> list[UploadPart]:
    """The first parts that were not sent; nobody else sends them before the transaction ends."""
    waiting = upload_parts.c.upload_id == upload_id, upload_parts.c.sent_at.is_(None)
    query = select(upload_parts).where(*waiting).order_by(upload_parts.c.place).limit(most).with_for_update()
    return list(map(_part, (await transaction.execute(query)).mappings()))


async def set_sent(
    transaction: Transaction,
    upload_id: str,
    part: UploadPart,
    batch_id: str | None,
    sent: Sequence[int],
    *,
    now: dt.datetime,
) -> None:
    """Remember which batch a part became, and which of its rows."""
    which = upload_parts.c.upload_id == upload_id, upload_parts.c.place == part.place
    said = {"batch_id": batch_id, "sent": list(sent), "sent_at": now}
    await transaction.execute(update(upload_parts).where(*which).values(said))


async def is_waiting(transaction: Transaction, upload_id: str) -> bool:
    """Whether any part was not sent."""
    query = select(upload_parts.c.place).where(upload_parts.c.upload_id == upload_id, upload_parts.c.sent_at.is_(None))
    return (await transaction.execute(query.limit(1))).first() is not None


async def unfinished(transaction: Transaction, upload_id: str) -> int:
    """How many classifications of what was sent are not final."""
    query = select(func.coalesce(func.sum(batches.c.unfinished), 0)).select_from(
        upload_parts.join(batches, batches.c.id == upload_parts.c.batch_id)
    )
    number: int = (await transaction.execute(query.where(upload_parts.c.upload_id == upload_id))).scalar_one()
    return number


async def batch_ids(transaction: Transaction, upload: Upload) -> list[str]:
    """The batches that an upload became, in the order of its rows."""
    query = select(upload_parts.c.batch_id).where(
        upload_parts.c.upload_id == upload.id, upload_parts.c.batch_id.is_not(None)
    )
    return list((await transaction.execute(query.order_by(upload_parts.c.place))).scalars()) or list(upload.batch_ids)


async def forget(transaction: Transaction, *, before: dt.datetime) -> None:
    """Drop what nobody submitted in time, with its parts."""
    await transaction.execute(delete(uploads).where(uploads.c.submitted_at.is_(None), uploads.c.created_at < before))


def _head(content: str) -> str:
    """The first two lines, behind which a version before kept all rows."""
    style, _, rest = content.partition("\n")
    return f"{style}\n{rest.partition(chr(10))[0]}"


def _upload(row: RowMapping) -> Upload:
    return Upload(
        id=row["id"],
        file_name=row["file_name"],
        head=_head(row["content"]),
        schedules=tuple(map(ScheduleName, row["schedules"])),
        created_at=row["created_at"],
        submitted_at=row["submitted_at"],
        columns=row["columns"] or {},
        rows=row["rows"] or 0,
        good=row["good"] or 0,
        width=row["width"] or 0,
        problems=tuple(row["problems"] or ()),
        stopped=row["stopped"],
        batch_ids=tuple(row["batch_ids"]),
    )


def _part(row: RowMapping) -> UploadPart:
    return UploadPart(row["place"], row["rows"], row["batch_id"], tuple(row["sent"] or ()))
