"""What happened and who is told of it; sending is three calls: `claim`, send, `record`.

The trap: an event sent before its cause is committed, or never: the cause's own transaction writes rows and jobs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from pcs.base import ids
from pcs.base.bells import ring
from pcs.base.database import Transaction
from pcs.base.secrets import Secrets
from pcs.base.tenancy import Tenant
from pcs.webhooks import concurrency, emitted_store, endpoints, signing, store, upkeep_store
from pcs.webhooks.model import (
    HISTORY,
    MAX_BROKEN_OFF,
    RETRY_DELAYS,
    Attempt,
    ClaimedDelivery,
    DeliveryStatus,
    Endpoint,
    Event,
    EventType,
    Receiver,
    Recorded,
    delivery_headers,
)

_DISABLED = "not sent: the webhook is disabled"
_ORPHAN_AGE = dt.timedelta(minutes=2)
_SKEW = dt.timedelta(seconds=10)  # between the clocks of the database, which starts jobs, and of this host


async def emit(
    transaction: Transaction, tenant: Tenant, happened: Sequence[tuple[Event, str | None]], *, now: dt.datetime
) -> None:
    """Store a tenant's events and queue their deliveries: to each endpoint that wants one, and to its request's own
    URL."""
    if happened:
        known = await endpoints.every(transaction, tenant)
        told = [(event, _receivers(known, event, request_url)) for event, request_url in happened]
        await tell(transaction, tenant, told, now=now)


async def tell(
    transaction: Transaction, tenant: Tenant, told: Sequence[tuple[Event, Sequence[Receiver]]], *, now: dt.datetime
) -> None:
    """Store a tenant's events and queue their deliveries to these receivers."""
    named = list(zip(ids.new_ids(ids.EVENT, len(told)), told, strict=True))
    await emitted_store.add_events(transaction, tenant, [(name, event) for name, (event, _) in named], now=now)
    ring(transaction, tenant)
    deliveries = [(name, receiver) for name, (_, receivers) in named for receiver in receivers]
    await emitted_store.add_deliveries(transaction, tenant, deliveries, now=now)


def _receivers(known: Sequence[Endpoint], event: Event, request_url: str | None) -> list[Receiver]:
    """Each URL that is to be told, once; the request's own stays so where an endpoint's is the same."""
    asking = [one for one in reversed(known) if one.wants(event.type)]
    wanted: dict[str, str | None] = {one.url: one.id for one in asking if one.enabled}
    if request_url is not None:
        wanted[request_url] = None
    held = {one.url: one.id for one in asking if not one.enabled and one.url not in wanted}
    now = [Receiver(ids.new_id(ids.DELIVERY), url, endpoint_id) for url, endpoint_id in wanted.items()]
    later = [Receiver(ids.new_id(ids.DELIVERY), url, whose, skipped=True) for url, whose in held.items()]
    return now + later


async def claim(
    transaction: Transaction, delivery_id: str, secrets: Secrets, *, now: dt.datetime
) -> tuple[ClaimedDelivery, dict[str, str]] | None:
    """A delivery to send now and its headers; None where it is finished, waits for its receiver, or must not be sent.

    The job of a worker that died after it had recorded a failure comes back before the retry is due, and is not it.
    """
    if not await concurrency.enter(transaction, delivery_id):
        return None
    claimed = await store.claim(transaction, delivery_id, due=now + _SKEW)
    if claimed is None:
        return None
    endpoint = endpoints.signer(claimed, await endpoints.every(transaction, claimed.tenant))
    hindrance = await _hindrance(transaction, claimed, endpoint)
    if hindrance is not None:
        attempt = Attempt(started_at=now, duration_ms=0, error=hindrance)
        await _end(transaction, claimed, attempt, failures=0, now=now, skipped=hindrance is _DISABLED)
        await concurrency.leave(transaction, claimed)
        return None
    active = endpoints.active_secrets(endpoint, secrets, now=now)
    headers = {
        **delivery_headers(claimed.event_type, claimed.id),
        **signing.headers(claimed.event_id, claimed.body, active, now=now),
    }
    return claimed, headers


async def _hindrance(transaction: Transaction, claimed: ClaimedDelivery, endpoint: Endpoint | None) -> str | None:
    """Why a delivery is given up without a send, None where it is not."""
    if await _breaks_off(transaction, claimed):
        return f"failed: the sending was interrupted {MAX_BROKEN_OFF} times"
    if claimed.endpoint_id is None or claimed.event_type is EventType.WEBHOOK_TEST:
        return None
    if endpoint is None:
        return "not sent: the webhook was removed"
    return None if endpoint.enabled else _DISABLED


async def _breaks_off(transaction: Transaction, claimed: ClaimedDelivery) -> bool:
    """Whether too many claims ended in no record; attempts are counted only where there were enough claims for that."""
    if claimed.claim <= MAX_BROKEN_OFF:
        return False
    return claimed.claim - await store.count_attempts(transaction, claimed.id) > MAX_BROKEN_OFF


async def record(
    transaction: Transaction, claimed: ClaimedDelivery, attempt: Attempt, *, now: dt.datetime, go_on: bool = False
) -> Recorded:
    """Note how a sending went; after a failure queue the next attempt, or give up after the last. With `go_on` its job
    may go on with the delivery that has waited longest for the same receiver.

    Nothing is noted where the claim has been lost.
    """
    await concurrency.hold(transaction, claimed.id)
    if attempt.succeeded or claimed.failures >= len(RETRY_DELAYS):
        failures = claimed.failures + (not attempt.succeeded)
        counts = await _end(transaction, claimed, attempt, failures=failures, now=now)
    else:
        counts = await _try_again(transaction, claimed, attempt, at=now + RETRY_DELAYS[claimed.failures])
    return Recorded(counts, await concurrency.leave(transaction, claimed, go_on=go_on) if counts else None)


async def _try_again(transaction: Transaction, claimed: ClaimedDelivery, attempt: Attempt, *, at: dt.datetime) -> bool:
    """Note a failure, and queue the next attempt."""
    values = {"status": DeliveryStatus.PENDING, "failures": claimed.failures + 1, "next_attempt_at": at}
    if not await store.record(transaction, claimed, attempt, values):
        return False
    await concurrency.queue(transaction, claimed.tenant, [claimed.id], at=at)
    return True


async def _end(
    transaction: Transaction,
    claimed: ClaimedDelivery,
    attempt: Attempt,
    *,
    failures: int,
    now: dt.datetime,
    skipped: bool = False,
) -> bool:
    """Note the last attempt of a delivery."""
    status = DeliveryStatus.DELIVERED if attempt.succeeded else DeliveryStatus.FAILED
    values = {
        "status": status,
        "skipped": skipped,
        "failures": failures,
        "finished_at": now,
        "next_attempt_at": None,
    }
    return await store.record(transaction, claimed, attempt, values)


async def open_by_state(transaction: Transaction) -> list[tuple[str, str, int]]:
    """Environment, state, and how many of all tenants' deliveries are in it; those that are over do not count."""
    return await upkeep_store.open_by_state(transaction)


async def requeue_orphans(transaction: Transaction, *, now: dt.datetime) -> int:
    """Queue anew what is due and carried by no job, however that came about; answers how many."""
    orphans = await upkeep_store.orphans(transaction, due_before=now - _ORPHAN_AGE)
    for delivery_id, tenant in orphans:
        await concurrency.queue(transaction, tenant, [delivery_id])
    return len(orphans)


async def tidy(transaction: Transaction, *, now: dt.datetime) -> None:
    """Forget deliveries that ended more than thirty days ago, and events that nobody has to be told of any more."""
    await upkeep_store.forget(transaction, before=now - HISTORY)
