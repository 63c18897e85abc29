"""All SQL of uploads. The trap: a look-up by id alone; each filters on organization and environment too."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

from sqlalchemy import ARRAY, Column, ForeignKey, Integer, Table, Text, delete, insert, select, update
from sqlalchemy.dialects.postgresql import JSONB

from pcs.base.database import MOMENT, Transaction, metadata
from pcs.base.owned import owned
from pcs.base.tenancy import Tenant
from pcs.tariff.revision import ScheduleName
from pcs.uploads.model import Upload

uploads = Table(
    "uploads",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("environment", Text, nullable=False),
    Column("member_id", ForeignKey("members.id"), nullable=False),
    Column("file_name", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("schedules", ARRAY(Text), nullable=False),
    Column("batch_ids", ARRAY(Text), nullable=False),
    Column("created_at", MOMENT, nullable=False),
    Column("submitted_at", MOMENT),
    Column("columns", JSONB),
    Column("sent", ARRAY(Integer)),
)


async def add(transaction: Transaction, tenant: Tenant, upload: Upload, *, member_id: str) -> None:
    """Store a new upload."""
    await transaction.execute(
        insert(uploads).values(
            id=upload.id,
            **tenant.columns,
            member_id=member_id,
            file_name=upload.file_name,
            content=upload.content,
            schedules=list(upload.schedules),
            batch_ids=[],
            created_at=upload.created_at,
        ),
    )


async def get(transaction: Transaction, tenant: Tenant, upload_id: str) -> Upload | None:
    """A tenant's upload."""
    query = select(uploads).where(
        uploads.c.id == upload_id,
        owned(uploads, tenant),
    )
    row = (await transaction.execute(query)).mappings().one_or_none()
    if row is None:
        return None
    return Upload(
        id=row["id"],
        file_name=row["file_name"],
        content=row["content"],
        schedules=tuple(map(ScheduleName, row["schedules"])),
        batch_ids=tuple(row["batch_ids"]),
        created_at=row["created_at"],
        submitted_at=row["submitted_at"],
        columns=row["columns"] or {},
        sent=tuple(row["sent"] or ()),
    )


async def claim(transaction: Transaction, tenant: Tenant, upload_id: str, *, now: dt.datetime) -> bool:
    """Take the right to submit an upload; False where somebody has it already."""
    query = update(uploads).where(
        uploads.c.id == upload_id,
        owned(uploads, tenant),
        uploads.c.submitted_at.is_(None),
    )
    return (await transaction.execute(query.values(submitted_at=now))).rowcount == 1


async def set_sent(
    transaction: Transaction, upload_id: str, batch_ids: Sequence[str], columns: Mapping[str, int], sent: Sequence[int]
) -> None:
    """Remember which batches an upload became, read with which columns, and which of its rows were sent."""
    said = {"batch_ids": list(batch_ids), "columns": dict(columns), "sent": list(sent)}
    await transaction.execute(update(uploads).where(uploads.c.id == upload_id).values(said))


async def forget(transaction: Transaction, *, before: dt.datetime) -> None:
    """Drop what nobody submitted in time."""
    await transaction.execute(delete(uploads).where(uploads.c.submitted_at.is_(None), uploads.c.created_at < before))
