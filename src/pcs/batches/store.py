"""All SQL of batches. The trap: a look-up by id alone; each filters on organization and environment too."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    Integer,
    RowMapping,
    Table,
    Text,
    case,
    false,
    func,
    insert,
    select,
    update,
)

from pcs.base.database import MOMENT, Transaction, metadata
from pcs.base.owned import owned
from pcs.base.paging import Page, Slice, page
from pcs.base.tenancy import Environment, Tenant
from pcs.batches.model import Batch

batches = Table(
    "batches",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("environment", Text, nullable=False),
    Column("webhook_url", Text),
    Column("total", Integer, nullable=False),
    Column("unfinished", Integer, nullable=False),
    Column("created_at", MOMENT, nullable=False),
    Column("completed_at", MOMENT),
    Column("is_audit", Boolean, nullable=False, server_default=false()),
)


async def add(transaction: Transaction, batch: Batch) -> None:
    """Store a new batch."""
    await transaction.execute(
        insert(batches).values(
            id=batch.id,
            **batch.tenant.columns,
            webhook_url=batch.webhook_url,
            total=batch.total,
            unfinished=batch.unfinished,
            created_at=batch.created_at,
            is_audit=batch.is_audit,
        ),
    )


async def get(transaction: Transaction, tenant: Tenant, batch_id: str) -> Batch | None:
    """A tenant's batch."""
    query = select(batches).where(
        batches.c.id == batch_id,
        owned(batches, tenant),
    )
    row = (await transaction.execute(query)).mappings().one_or_none()
    return None if row is None else _batch(row)


async def list_page(
    transaction: Transaction, tenant: Tenant, wanted: Slice, *, audits_only: bool = False
) -> Page[Batch]:
    """A tenant's batches, newest first."""
    query = select(batches).where(
        owned(batches, tenant),
    )
    if audits_only:
        query = query.where(batches.c.is_audit)
    rows = (await transaction.execute(wanted.of(query, batches.c.id))).mappings()
    return page([_batch(row) for row in rows], wanted, lambda batch: batch.id)


async def count_down(transaction: Transaction, batch_id: str, *, now: dt.datetime) -> Batch:
    """One less unfinished; others who finish one of the same batch wait until the transaction ends."""
    left = batches.c.unfinished - 1
    query = (
        update(batches)
        .where(batches.c.id == batch_id)
        .values(unfinished=left, completed_at=case((left == 0, func.greatest(batches.c.created_at, now)), else_=None))
        .returning(batches)
    )
    return _batch((await transaction.execute(query)).mappings().one())


def _batch(row: RowMapping) -> Batch:
    return Batch(
        id=row["id"],
        tenant=Tenant(row["organization_id"], Environment(row["environment"])),
        total=row["total"],
        unfinished=row["unfinished"],
        created_at=row["created_at"],
        webhook_url=row["webhook_url"],
        completed_at=row["completed_at"],
        is_audit=row["is_audit"],
    )
