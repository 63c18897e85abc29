"""All SQL of batches. The trap: a look-up by id alone; each filters on organization and environment too."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    Integer,
    Table,
    Text,
    bindparam,
    case,
    false,
    func,
    insert,
    select,
    update,
)

from pcs.base.database import MOMENT, Prepared, Transaction, metadata
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


_LEFT = batches.c.unfinished - bindparam("number", type_=Integer)
_COUNT_DOWN = Prepared(
    update(batches)
    .where(batches.c.id == bindparam("which"))
    .values(
        unfinished=_LEFT,
        completed_at=case((_LEFT == 0, func.greatest(batches.c.created_at, bindparam("now", type_=MOMENT)))),
    )
    .returning(batches)
)


async def count_down(transaction: Transaction, batch_id: str, number: int, *, now: dt.datetime) -> Batch:
    """So many less unfinished; others who finish some of the same batch wait until the transaction ends."""
    row = await _COUNT_DOWN.row(transaction, which=batch_id, number=number, now=now)
    assert row is not None
    return _batch(row)


def _batch(row: Mapping[Any, Any]) -> Batch:
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
