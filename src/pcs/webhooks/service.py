"""What can be done with endpoints, events and deliveries; sending is three calls: `claim`, send, `record`.

The trap: an event sent before its cause is committed, or never: the cause's own transaction writes rows and jobs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.errors import NotFoundError
from pcs.base.secrets import Secrets
from pcs.base.tenancy import Tenant
from pcs.webhooks import concurrency, signing, store, upkeep_store
from pcs.webhooks.model import (
    HISTORY,
    MAX_BROKEN_OFF,
    RETRY_DELAYS,
    ROTATION,
    Attempt,
    ClaimedDelivery,
    DeliveryStatus,
    Endpoint,
    EndpointSettings,
    Event,
    EventType,
    Receiver,
)

_ORPHAN_AGE = dt.timedelta(minutes=2)
_SKEW = dt.timedelta(seconds=10)  # between the clocks of the database, which starts jobs, and of this host


async def configure(
    transaction: Transaction, tenant: Tenant, new: EndpointSettings, secrets: Secrets, *, now: dt.datetime
) -> Endpoint:
    """Set the organization-wide endpoint. A changed secret keeps signing beside the new one for a day."""
    before = await store.get_endpoint(transaction, tenant, hold=True)
    secret, previous, until = _rotated(before, new.secret, secrets, tenant, now=now)
    endpoint = Endpoint(
        tenant=tenant,
        url=new.url,
        secret=secret,
        previous_secret=previous,
        previous_until=until,
        event_types=new.event_types,
        enabled=new.enabled,
        created_at=before.created_at if before else now,
        updated_at=now,
    )
    await store.put_endpoint(transaction, endpoint)
    return endpoint


def _rotated(
    before: Endpoint | None, secret: str | None, secrets: Secrets, tenant: Tenant, *, now: dt.datetime
) -> tuple[bytes | None, bytes | None, dt.datetime | None]:
    """The sealed secret, the previous one and until when that is used."""
    if before is None:
        return (secrets.seal(secret, owner=_owner(tenant)) if secret else None), None, None
    kept = before.secret, before.previous_secret, before.previous_until
    if secret is None:
        return kept
    if not secret:
        return None, None, None
    if before.secret is not None and secrets.open(before.secret, owner=_owner(tenant)) == secret:
        return kept
    return secrets.seal(secret, owner=_owner(tenant)), before.secret, now + ROTATION if before.secret else None


async def get_endpoint(transaction: Transaction, tenant: Tenant) -> Endpoint:
    """The organization-wide endpoint. Raises NotFoundError where none is set."""
    endpoint = await store.get_endpoint(transaction, tenant)
    if endpoint is None:
        msg = "No webhook is configured."
        raise NotFoundError(msg)
    return endpoint


async def remove_endpoint(transaction: Transaction, tenant: Tenant) -> None:
    """Remove the organization-wide endpoint. Raises NotFoundError where none is set."""
    if not await store.delete_endpoint(transaction, tenant):
        msg = "No webhook is configured."
        raise NotFoundError(msg)


async def emit(transaction: Transaction, event: Event, *, request_url: str | None, now: dt.datetime) -> None:
    """Store an event and queue its deliveries: to the request's own URL, and to the organization's if subscribed."""
    await tell(transaction, event, await _receivers(transaction, event, request_url), now=now)


async def tell(transaction: Transaction, event: Event, receivers: Sequence[Receiver], *, now: dt.datetime) -> None:
    """Store an event and queue its deliveries to these receivers."""
    event_id = ids.new_id(ids.EVENT)
    values = {
        "type": event.type,
        "subject_id": event.subject_id or event_id,
        "body": event.body,
        "created_at": now,
    }
    await store.add_event(transaction, event_id=event_id, tenant=event.tenant, values=values)
    if receivers:
        await store.add_deliveries(transaction, event_id=event_id, tenant=event.tenant, receivers=receivers, now=now)
        await concurrency.queue(transaction, event.tenant, [one.delivery_id for one in receivers])


async def _receivers(transaction: Transaction, event: Event, request_url: str | None) -> list[Receiver]:
    """Each URL that is to be told, once; the request's own stays so where the endpoint's is the same."""
    endpoint = await store.get_endpoint(transaction, event.tenant)
    wanted = {endpoint.url: True} if endpoint is not None and endpoint.wants(event.type) else {}
    if request_url is not None:
        wanted[request_url] = False
    return [Receiver(ids.new_id(ids.DELIVERY), url, for_endpoint) for url, for_endpoint in wanted.items()]


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
    endpoint = await store.get_endpoint(transaction, claimed.tenant)
    hindrance = await _hindrance(transaction, claimed, endpoint)
    if hindrance is not None:
        await _end(transaction, claimed, Attempt(started_at=now, duration_ms=0, error=hindrance), failures=0, now=now)
        return None
    active = _active_secrets(endpoint, secrets, now=now)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "pcs-webhooks/1",
        "X-Service-Event": claimed.event_type,
        "X-Service-Delivery-ID": claimed.id,
        **signing.headers(claimed.event_id, claimed.body, active, now=now),
    }
    return claimed, headers


async def _hindrance(transaction: Transaction, claimed: ClaimedDelivery, endpoint: Endpoint | None) -> str | None:
    """Why a delivery is given up without a send, None where it is not."""
    if await _breaks_off(transaction, claimed):
        return f"failed: the sending was interrupted {MAX_BROKEN_OFF} times"
    if not claimed.for_endpoint or claimed.event_type is EventType.WEBHOOK_TEST:
        return None
    if endpoint is None:
        return "not sent: the webhook was removed"
    return None if endpoint.enabled else "not sent: the webhook is disabled"


async def _breaks_off(transaction: Transaction, claimed: ClaimedDelivery) -> bool:
    """Whether too many claims ended in no record; attempts are counted only where there were enough claims for that."""
    if claimed.claim <= MAX_BROKEN_OFF:
        return False
    return claimed.claim - await store.count_attempts(transaction, claimed.id) > MAX_BROKEN_OFF


def _active_secrets(endpoint: Endpoint | None, secrets: Secrets, *, now: dt.datetime) -> list[str]:
    """The secrets to sign with, the current one first."""
    if endpoint is None or endpoint.secret is None:
        return []
    sealed = [endpoint.secret]
    if endpoint.previous_secret and endpoint.previous_until and now < endpoint.previous_until:
        sealed.append(endpoint.previous_secret)
    return [secrets.open(one, owner=_owner(endpoint.tenant)) for one in sealed]


async def record(transaction: Transaction, claimed: ClaimedDelivery, attempt: Attempt, *, now: dt.datetime) -> bool:
    """Note how a sending went; after a failure queue the next attempt, or give up after the last.

    False, and nothing, where the claim has been lost.
    """
    await concurrency.hold(transaction, claimed.id)
    if attempt.succeeded or claimed.failures >= len(RETRY_DELAYS):
        return await _end(transaction, claimed, attempt, failures=claimed.failures + (not attempt.succeeded), now=now)
    at = now + RETRY_DELAYS[claimed.failures]
    values = {"status": DeliveryStatus.PENDING, "failures": claimed.failures + 1, "next_attempt_at": at}
    if not await store.record(transaction, claimed, attempt, values):
        return False
    await concurrency.queue(transaction, claimed.tenant, [claimed.id], at=at)
    await concurrency.leave(transaction, claimed.tenant, claimed.id)
    return True


async def _end(
    transaction: Transaction, claimed: ClaimedDelivery, attempt: Attempt, *, failures: int, now: dt.datetime
) -> bool:
    """Note the last attempt of a delivery."""
    status = DeliveryStatus.DELIVERED if attempt.succeeded else DeliveryStatus.FAILED
    values = {"status": status, "failures": failures, "finished_at": now, "next_attempt_at": None}
    if not await store.record(transaction, claimed, attempt, values):
        return False
    await concurrency.leave(transaction, claimed.tenant, claimed.id)
    return True


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


async def seal_anew(transaction: Transaction, old: Secrets, new: Secrets) -> int:
    """Seal every stored secret with another key; answers how many endpoints have one."""
    found = await upkeep_store.sealed_secrets(transaction)
    for tenant, *sealed in found:
        plain = [None if one is None else old.open(bytes(one), owner=_owner(tenant)) for one in sealed]
        again = [None if one is None else new.seal(one, owner=_owner(tenant)) for one in plain]
        assert again[0] is not None
        await upkeep_store.set_sealed_secrets(transaction, tenant, again[0], again[1])
    return len(found)


def _owner(tenant: Tenant) -> str:
    return f"webhook {tenant.organization_id} {tenant.environment}"
