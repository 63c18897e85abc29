"""Who may send now: five at once to one receiver, and the organization with the shortest heap first.

The trap: a job that looks again and again whether it may; a delivery that finds its receiver busy is parked without a
job, and whoever is done with the receiver queues the one that has waited longest."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from pcs.base import queue as base_queue
from pcs.base.database import Transaction
from pcs.base.queue import Order, defer
from pcs.base.tenancy import Tenant
from pcs.webhooks import concurrency_store, store
from pcs.webhooks.model import DELIVER, MAX_AT_ONCE, ClaimedDelivery


async def hold(transaction: Transaction, delivery_id: str) -> None:
    """Hold a delivery's receiver until the transaction ends: before its row is touched, against deadlocks."""
    await concurrency_store.lock(transaction, delivery_id)


async def enter(transaction: Transaction, delivery_id: str) -> bool:
    """Whether a delivery may be sent now; where not, it is parked. One that is sending already keeps its place."""
    await hold(transaction, delivery_id)
    if not await concurrency_store.is_full(transaction, delivery_id, most=MAX_AT_ONCE):
        return True
    return not await concurrency_store.park(transaction, delivery_id)


async def leave(transaction: Transaction, claimed: ClaimedDelivery, *, go_on: bool = False) -> str | None:
    """After a send, with its receiver held: let the one go that has waited longest.

    With `go_on` the send's own job is about that from now on, and its id is answered: whoever runs the job claims it.
    """
    following = await concurrency_store.next_parked(transaction, claimed.id)
    if following is None:
        return None
    if go_on and claimed.job is not None and await base_queue.go_on(transaction, claimed.job, following):
        await store.set_jobs(transaction, [(following, claimed.job)])
        return following
    await queue(transaction, claimed.tenant, [following])
    return None


async def queue(
    transaction: Transaction, tenant: Tenant, delivery_ids: Sequence[str], *, at: dt.datetime | None = None
) -> None:
    """Queue jobs; the more deliveries a tenant has open, the later its next goes, so that none holds up the others."""
    if not delivery_ids:
        return
    priority = -await concurrency_store.count_waiting(transaction, tenant)
    jobs = await defer(transaction, DELIVER, [Order(one, priority=priority, at=at) for one in delivery_ids])
    await store.set_jobs(transaction, list(zip(delivery_ids, jobs, strict=True)))
