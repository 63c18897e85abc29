"""All SQL of credits: the ledger, and the balance of an organization that has a limit.

The traps: a sum over the ledger at each request, so triggers keep the balance (migration 0032); and a lock on the
organization for whoever spends, which waits for all who refer to it and deadlocks two that do both."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Integer,
    Table,
    Text,
    bindparam,
    delete,
    func,
    literal,
    select,
    text,
    update,
)

from pcs.base.database import MOMENT, Prepared, Transaction, metadata
from pcs.base.owned import owned
from pcs.base.tenancy import Environment, Tenant
from pcs.organizations.store import organizations

credit_entries = Table(
    "credit_entries",
    metadata,
    Column("classification_id", ForeignKey("classifications.id"), primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("environment", Text, nullable=False),
    Column("credits", Integer, nullable=False),
    Column("created_at", MOMENT, nullable=False),
)
credit_balances = Table(
    "credit_balances",
    metadata,
    Column("organization_id", ForeignKey("organizations.id"), primary_key=True),
    Column("credits", BigInteger, nullable=False),
)

_BALANCE = select(credit_balances, literal(Environment.LIVE).label("environment")).subquery()
_ENTER = Prepared(
    text("""
        WITH held AS (
            SELECT o.credit_limit - b.credits AS credits
              FROM credit_balances b JOIN organizations o ON o.id = b.organization_id
             WHERE b.organization_id = :organization_id AND :environment = 'live' AND o.credit_limit IS NOT NULL
               FOR UPDATE OF b)
        INSERT INTO credit_entries (classification_id, organization_id, environment, credits, created_at)
        SELECT id, :organization_id, :environment, 1, :now FROM unnest(CAST(:ids AS text[])) id
         WHERE NOT EXISTS (SELECT 1 FROM held WHERE credits < cardinality(CAST(:ids AS text[])))
    """).bindparams(bindparam("now", type_=MOMENT))
)


async def enter(
    transaction: Transaction, tenant: Tenant, classification_ids: Sequence[str], *, now: dt.datetime
) -> bool:
    """One entry of one credit for each classification; False, and nothing, where the limit does not cover them all.

    Others who spend the same organization's credits wait until the transaction ends, where there is a limit.
    """
    written = await _ENTER.run(transaction, **tenant.columns, ids=list(classification_ids), now=now)
    return written == len(classification_ids)


async def spent(transaction: Transaction, tenant: Tenant) -> int:
    """All credits that the ledger holds for a tenant."""
    ledger = select(func.coalesce(func.sum(credit_entries.c.credits), 0)).where(owned(credit_entries, tenant))
    balance = select(_BALANCE.c.credits).where(owned(_BALANCE, tenant))
    either = func.coalesce(balance.scalar_subquery(), ledger.scalar_subquery())
    found: int = (await transaction.execute(select(either))).scalar_one()
    return found


async def set_limit(transaction: Transaction, organization_id: str, limit: int | None) -> None:
    """Change how much an organization may consume. Without a limit nobody waits for a balance, so it goes."""
    await transaction.execute(
        update(organizations).where(organizations.c.id == organization_id).values(credit_limit=limit)
    )
    if limit is None:
        await transaction.execute(delete(credit_balances).where(credit_balances.c.organization_id == organization_id))
