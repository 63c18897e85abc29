"""Who may send now: five at once to one receiver, and the organization with the shortest heap first.

The trap: a job that looks again and again whether it may; a delivery that finds its receiver busy is parked without a
job, and whoever is done with the receiver queues the one that has waited longest."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from pcs.base.database import Transaction
from pcs.base.queue import Order, defer
from pcs.base.tenancy import Tenant
from pcs.webhooks import concurrency_store, store
from pcs.webhooks.model import DELIVER, MAX_AT_ONCE


async def hold(transaction: Transaction, delivery_id: str) -> None:
    """Hold a delivery's receiver until the transaction ends: before its row is touched, against deadlocks."""
    await concurrency_store.lock(transaction, delivery_id)


async def enter(transaction: Transaction, delivery_id: str) -> bool:
    """Whether a delivery may be sent now; where not, it is parked. One that is sending already keeps its place."""
    await hold(transaction, delivery_id)
    if not await concurrency_store.is_full(transaction, delivery_id, most=MAX_AT_ONCE):
        return True
    return not await concurrency_store.park(transaction, delivery_id)


async def leave(transaction: Transaction, tenant: Tenant, delivery_id: str) -> None:
    """After a send, with its receiver held: let the next go."""
    following = await concurrency_store.next_parked(transaction, delivery_id)
    if following is not None:
        await queue(transaction, tenant, [following])


async def queue(
    transaction: Transaction, tenant: Tenant, delivery_ids: Sequence[str], *, at: dt.datetime | None = None
) -> None:
    """Queue jobs; the more deliveries a tenant has open, the later its next goes, so that none holds up the others."""
    if not delivery_ids:
        return
    priority = -await concurrency_store.count_waiting(transaction, tenant)
    jobs = await defer(transaction, DELIVER, [Order(one, priority=priority, at=at) for one in delivery_ids])
    await store.set_jobs(transaction, list(zip(delivery_ids, jobs, strict=True)))
