"""Sending again what an endpoint did not get: in the background, a portion at a time.

The traps: a heap of old deliveries in front of what happens now, so that a portion is taken only when the one before it
is nearly out; and one sent twice, so that what is waiting or under way is never taken."""

from __future__ import annotations

import dataclasses
import datetime as dt

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.errors import NotFoundError
from pcs.base.tenancy import Tenant
from pcs.webhooks import concurrency, endpoint_store, endpoints, replay_store
from pcs.webhooks.model import UNDELIVERED, DeliveryStatus, NotReplayableError, Replay

PORTION = 500
"""Deliveries of an endpoint that are waiting at most because of a replay."""


async def begin(
    transaction: Transaction,
    tenant: Tenant,
    endpoint_id: str,
    *,
    since: dt.datetime | None,
    statuses: tuple[DeliveryStatus, ...] = UNDELIVERED,
    now: dt.datetime,
) -> Replay:
    """Send again what has these statuses, the first portion at once. Raises NotFoundError or NotReplayableError."""
    await endpoint_store.hold_all(transaction, tenant)
    endpoint = await endpoints.get(transaction, tenant, endpoint_id)
    if not endpoint.enabled:
        msg = "The endpoint is disabled: enable it, then replay."
        raise NotReplayableError(msg)
    before = await replay_store.latest(transaction, tenant, endpoint_id)
    if before is not None and before.finished_at is None:
        msg = f"A replay to this endpoint is in progress: {before.queued:,} of {before.total:,} are on their way."
        raise NotReplayableError(msg)
    replay = Replay(
        id=ids.new_id(ids.REPLAY),
        tenant=tenant,
        endpoint_id=endpoint_id,
        statuses=statuses,
        since=since,
        after="",
        until=ids.new_id(ids.DELIVERY),
        total=0,
        queued=0,
        created_at=now,
    )
    replay = dataclasses.replace(replay, total=await replay_store.count(transaction, replay))
    await replay_store.add(transaction, replay)
    return await _go_on(transaction, replay, now=now)


async def get(transaction: Transaction, tenant: Tenant, endpoint_id: str, replay_id: str) -> Replay:
    """How far a replay is. Raises NotFoundError."""
    known = ids.is_id(ids.REPLAY, replay_id)
    found = await replay_store.latest(transaction, tenant, endpoint_id, replay_id) if known else None
    if found is None:
        msg = f"There is no replay {replay_id}."
        raise NotFoundError(msg)
    return found


async def standing(
    transaction: Transaction, tenant: Tenant, endpoint_id: str
) -> tuple[dict[DeliveryStatus, int], Replay | None]:
    """How many deliveries an endpoint did not get, and the latest replay of them."""
    missed = await replay_store.undelivered(transaction, tenant, endpoint_id)
    return missed, await replay_store.latest(transaction, tenant, endpoint_id)


async def proceed(transaction: Transaction, *, after: str, now: dt.datetime) -> str | None:
    """Take the next portion of the first replay behind `after`; its id, None where there is no further one."""
    replay = await replay_store.next_under_way(transaction, after=after)
    if replay is None:
        return None
    endpoint = await endpoint_store.get(transaction, replay.tenant, replay.endpoint_id)
    if endpoint is None:
        await replay_store.set_progress(transaction, replay.id, finished_at=now)
    elif endpoint.enabled:
        await _go_on(transaction, replay, now=now)
    return replay.id


async def _go_on(transaction: Transaction, replay: Replay, *, now: dt.datetime) -> Replay:
    room = PORTION - await replay_store.count_open(transaction, replay, most=PORTION)
    if room <= 0:
        return replay
    found = await replay_store.reopen(transaction, replay, limit=room, now=now)
    await concurrency.queue(transaction, replay.tenant, found)
    progress = {
        "after": found[-1] if found else replay.after,
        "queued": replay.queued + len(found),
        "finished_at": now if len(found) < room else None,
    }
    await replay_store.set_progress(transaction, replay.id, **progress)
    return dataclasses.replace(replay, **progress)  # type: ignore[arg-type] # each has its field's type
