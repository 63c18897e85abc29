"""All SQL of assessments: replies that were paid for, and what each day cost.

The trap: a reply kept whose cost was not counted, or counted twice; the count goes with the row that is new."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

from sqlalchemy import (
    BigInteger,
    Column,
    Date,
    DateTime,
    ForeignKey,
    Numeric,
    Table,
    Text,
    delete,
    func,
    select,
)
from sqlalchemy.dialects.postgresql import insert as upsert

from pcs.base.database import Transaction, metadata
from pcs.base.owned import owned
from pcs.base.tenancy import Tenant
from pcs.reviewer.model import ReplyKey, Spending, Tokens

_COUNTED = ("requests", "input_tokens", "output_tokens", "cost", "confirmed", "changed", "stood", "dropped")

replies = Table(
    "reviewer_replies",
    metadata,
    Column("classification_id", ForeignKey("classifications.id"), primary_key=True),
    Column("digest", Text, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("environment", Text, nullable=False),
    Column("reply", Text, nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
)
days = Table(
    "reviewer_days",
    metadata,
    Column("organization_id", ForeignKey("organizations.id"), primary_key=True),
    Column("environment", Text, primary_key=True),
    Column("day", Date, primary_key=True),
    *(Column(name, Numeric if name == "cost" else BigInteger, nullable=False, server_default="0") for name in _COUNTED),
)


async def get_reply(transaction: Transaction, key: ReplyKey) -> str | None:
    """A kept reply."""
    query = select(replies.c.reply).where(
        replies.c.classification_id == key.classification_id,
        replies.c.digest == key.digest,
        owned(replies, key.tenant),
    )
    return (await transaction.execute(query)).scalar_one_or_none()


async def add_reply(transaction: Transaction, key: ReplyKey, reply: str, *, now: dt.datetime) -> None:
    """Keep a reply; where two workers paid for the same one, the first stays."""
    whose = key.tenant.columns
    row = {"classification_id": key.classification_id, "digest": key.digest, "reply": reply, "created_at": now}
    query = upsert(replies).values(**row, **whose)
    await transaction.execute(query.on_conflict_do_nothing())


async def remove_replies(transaction: Transaction, tenant: Tenant, classification_id: str) -> None:
    """Let go of a classification's replies."""
    await transaction.execute(
        delete(replies).where(
            replies.c.classification_id == classification_id,
            owned(replies, tenant),
        )
    )


async def remove_old_replies(transaction: Transaction, *, before: dt.datetime) -> None:
    """Let go of replies of whatever never ended."""
    await transaction.execute(delete(replies).where(replies.c.created_at < before))


async def count(transaction: Transaction, tenant: Tenant, day: dt.date, **more: int | Decimal) -> None:
    """Add to a day's figures."""
    row = {**tenant.columns, "day": day, **more}
    query = upsert(days).values(**row)
    added = {name: days.c[name] + query.excluded[name] for name in more}
    keys = ["organization_id", "environment", "day"]
    await transaction.execute(query.on_conflict_do_update(index_elements=keys, set_=added))


async def cost_of_day(transaction: Transaction, day: dt.date, tenant: Tenant | None = None) -> Decimal:
    """What a day has cost so far, a tenant's or everybody's."""
    query = select(func.coalesce(func.sum(days.c.cost), 0)).where(days.c.day == day)
    if tenant is not None:
        query = query.where(owned(days, tenant))
    cost: Decimal = (await transaction.execute(query)).scalar_one()
    return cost


async def spending(
    transaction: Transaction, tenant: Tenant | None, *, first: dt.date | None = None, last: dt.date | None = None
) -> Spending:
    """The figures of some days, both included, a tenant's or everybody's."""
    query = select(*(func.coalesce(func.sum(days.c[name]), 0).label(name) for name in _COUNTED))
    if tenant is not None:
        query = query.where(owned(days, tenant))
    if first is not None:
        query = query.where(days.c.day >= first)
    if last is not None:
        query = query.where(days.c.day <= last)
    row = (await transaction.execute(query)).one()
    return Spending(
        requests=int(row.requests),
        tokens=Tokens(int(row.input_tokens), int(row.output_tokens)),
        cost=Decimal(row.cost),
        confirmed=int(row.confirmed),
        changed=int(row.changed),
        stood=int(row.stood),
        dropped=int(row.dropped),
    )
