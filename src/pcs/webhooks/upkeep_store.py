"""The SQL that keeps deliveries going and their history short. The trap: a sweep that locks or deletes a whole table at
once; each call takes a limited number of rows and skips what others hold."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import exists, func, select, text

from pcs.base.database import Transaction
from pcs.base.queue import is_queued
from pcs.base.tenancy import Environment, Tenant
from pcs.webhooks.concurrency_store import SAME_RECEIVER
from pcs.webhooks.model import DeliveryStatus
from pcs.webhooks.store import deliveries

_FORGET = (
    """
    WITH old AS (
        SELECT id FROM deliveries WHERE finished_at < :before ORDER BY finished_at LIMIT 1000 FOR UPDATE SKIP LOCKED
    ), attempts AS (DELETE FROM delivery_attempts WHERE delivery_id IN (SELECT id FROM old))
    SELECT id FROM old
    """,
    """
    DELETE FROM events WHERE id IN (
        SELECT e.id FROM events e
         WHERE e.created_at < :before AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.id)
         ORDER BY e.created_at LIMIT 1000)
    """,
)


_OPEN = (DeliveryStatus.PENDING, DeliveryStatus.SENDING)


async def open_by_state(transaction: Transaction) -> list[tuple[str, str, int]]:
    """Environment, state, and how many deliveries are in it; those that are over do not count."""
    query = select(deliveries.c.environment, deliveries.c.status, func.count())
    grouped = query.where(deliveries.c.status.in_(_OPEN)).group_by(deliveries.c.environment, deliveries.c.status)
    return [(row[0], row[1], row[2]) for row in await transaction.execute(grouped)]


async def orphans(transaction: Transaction, *, due_before: dt.datetime) -> list[tuple[str, Tenant]]:
    """Unfinished deliveries that were due earlier and that no job carries, the longest waiting first.

    Parked ones are among them only where nothing is being sent to their receiver that would wake them.
    """
    mine, other = deliveries.alias("mine"), deliveries.alias("other")
    busy = exists().where(text(SAME_RECEIVER), other.c.status == DeliveryStatus.SENDING).select_from(other)
    parked = (mine.c.status == DeliveryStatus.PENDING) & mine.c.job_id.is_(None) & busy
    query = (
        select(mine.c.id, mine.c.organization_id, mine.c.environment)
        .where(mine.c.status.in_(_OPEN), mine.c.next_attempt_at < due_before, ~is_queued(mine.c.job_id), ~parked)
        .order_by(mine.c.id)
        .limit(100)
        .with_for_update(skip_locked=True, of=mine)
    )
    rows = await transaction.execute(query)
    return [(row.id, Tenant(row.organization_id, Environment(row.environment))) for row in rows]


async def forget(transaction: Transaction, *, before: dt.datetime) -> None:
    """Delete deliveries finished earlier with their attempts, and then events without deliveries."""
    old = (await transaction.execute(text(_FORGET[0]), {"before": before})).scalars().all()
    if old:
        await transaction.execute(deliveries.delete().where(deliveries.c.id.in_(old)))
    await transaction.execute(text(_FORGET[1]), {"before": before})
