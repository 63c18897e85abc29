"""What can be done with endpoints, events and deliveries; sending is three calls: `claim`, send, `record`.

The trap: an event sent before its cause is committed, or never: the cause's own transaction writes rows and jobs."""

from __future__ import annotations

import datetime as dt
import json

from pcs.base import ids
from pcs.base.clock import rfc3339
from pcs.base.database import Transaction
from pcs.base.errors import NotFoundError
from pcs.base.queue import Order, defer
from pcs.base.secrets import Secrets
from pcs.base.tenancy import Tenant
from pcs.webhooks import signing, store
from pcs.webhooks.model import (
    DELIVER,
    RETRY_DELAYS,
    ROTATION,
    Attempt,
    ClaimedDelivery,
    DeliveryStatus,
    Endpoint,
    EndpointSettings,
    Event,
)


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
    event_id = ids.new_id(ids.EVENT)
    body = {"event": event.type, "timestamp": rfc3339(now), "data": event.data}
    values = {
        "type": event.type,
        "subject_id": event.subject_id,
        "body": json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(),
        "created_at": now,
    }
    await store.add_event(transaction, event_id=event_id, tenant=event.tenant, values=values)
    urls = await _receivers(transaction, event, request_url)
    if urls:
        await store.add_deliveries(transaction, event_id=event_id, tenant=event.tenant, urls=urls, now=now)
        await _queue(transaction, list(urls))


async def _receivers(transaction: Transaction, event: Event, request_url: str | None) -> dict[str, str]:
    """A new delivery's id for each URL to be told, each URL once."""
    endpoint = await store.get_endpoint(transaction, event.tenant)
    wanted = [endpoint.url] if endpoint is not None and endpoint.wants(event.type) else []
    if request_url is not None:
        wanted.append(request_url)
    return {ids.new_id(ids.DELIVERY): url for url in dict.fromkeys(wanted)}


async def _queue(transaction: Transaction, delivery_ids: list[str], *, at: dt.datetime | None = None) -> None:
    jobs = await defer(transaction, DELIVER, [Order(delivery_id, at=at) for delivery_id in delivery_ids])
    await store.set_jobs(transaction, list(zip(delivery_ids, jobs, strict=True)))


async def claim(
    transaction: Transaction, delivery_id: str, secrets: Secrets, *, now: dt.datetime
) -> tuple[ClaimedDelivery, dict[str, str]] | None:
    """A delivery to send now and its headers; None where it is finished already."""
    claimed = await store.claim(transaction, delivery_id)
    if claimed is None:
        return None
    active = await _active_secrets(transaction, claimed.tenant, secrets, now=now)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "pcs-webhooks/1",
        "X-Service-Event": claimed.event_type,
        "X-Service-Delivery-ID": claimed.id,
        **signing.headers(claimed.event_id, claimed.body, active, now=now),
    }
    return claimed, headers


async def _active_secrets(transaction: Transaction, tenant: Tenant, secrets: Secrets, *, now: dt.datetime) -> list[str]:
    """The secrets to sign with, the current one first."""
    endpoint = await store.get_endpoint(transaction, tenant)
    if endpoint is None or endpoint.secret is None:
        return []
    sealed = [endpoint.secret]
    if endpoint.previous_secret and endpoint.previous_until and now < endpoint.previous_until:
        sealed.append(endpoint.previous_secret)
    return [secrets.open(one, owner=_owner(tenant)) for one in sealed]


async def record(transaction: Transaction, claimed: ClaimedDelivery, attempt: Attempt, *, now: dt.datetime) -> None:
    """Note how a sending went; after a failure queue the next attempt, or give up after the last."""
    if attempt.succeeded:
        await store.record(transaction, claimed, attempt, {"status": DeliveryStatus.DELIVERED, "finished_at": now})
        return
    failures = claimed.failures + 1
    if failures > len(RETRY_DELAYS):
        values = {"status": DeliveryStatus.FAILED, "failures": failures, "finished_at": now}
        await store.record(transaction, claimed, attempt, values)
        return
    at = now + RETRY_DELAYS[failures - 1]
    values = {"status": DeliveryStatus.PENDING, "failures": failures, "next_attempt_at": at}
    if await store.record(transaction, claimed, attempt, values):
        await _queue(transaction, [claimed.id], at=at)


def _owner(tenant: Tenant) -> str:
    return f"webhook {tenant.organization_id} {tenant.environment}"
