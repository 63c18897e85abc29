"""Deliveries after the fact: what was sent when and how it went, a test, and sending again.

The trap: a redelivery that is a new delivery; it keeps its id and its bytes, so that receivers recognise it."""

from __future__ import annotations

import datetime as dt

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.errors import NotFoundError
from pcs.base.paging import Page, Slice
from pcs.base.tenancy import Tenant
from pcs.webhooks import concurrency, endpoints, history_store
from pcs.webhooks import service as webhooks
from pcs.webhooks.model import (
    DEFAULT,
    Attempt,
    Delivery,
    DeliveryFilters,
    Event,
    EventType,
    NotFinishedError,
    Receiver,
)
from pcs.wire.events import WebhookTest

_AT_A_TIME = 500  # a transaction that is over soon


async def page(
    transaction: Transaction,
    tenant: Tenant,
    filters: DeliveryFilters,
    *,
    after: str | None = None,
    limit: int = 25,
) -> tuple[list[Delivery], str | None]:
    """Deliveries, newest first, and where the next page begins."""
    found = await list_page(transaction, tenant, filters, Slice(limit, after))
    return list(found.items), found.next_after


async def list_page(
    transaction: Transaction, tenant: Tenant, filters: DeliveryFilters, wanted: Slice
) -> Page[Delivery]:
    """A tenant's deliveries without their bodies, newest first."""
    return await history_store.deliveries(transaction, tenant, filters, wanted)


async def get(transaction: Transaction, tenant: Tenant, delivery_id: str) -> tuple[Delivery, list[Attempt]]:
    """A delivery with its body, and every attempt, oldest first. Raises NotFoundError."""
    found = None
    if ids.is_id(ids.DELIVERY, delivery_id):
        found = await history_store.delivery(transaction, tenant, delivery_id)
    if found is None:
        msg = f"There is no delivery {delivery_id}."
        raise NotFoundError(msg)
    return found, await history_store.attempts(transaction, delivery_id)


async def count_failed(transaction: Transaction, tenant: Tenant, *, since: dt.datetime) -> int:
    """How many deliveries were given up since a moment; counts no further than a thousand."""
    return await history_store.count_failed(transaction, tenant, since=since)


async def send_test(transaction: Transaction, tenant: Tenant, endpoint_id: str = DEFAULT, *, now: dt.datetime) -> str:
    """Queue a test event for an endpoint, whatever it is subscribed to; its delivery's id. Raises NotFoundError."""
    endpoint = await endpoints.get(transaction, tenant, endpoint_id)
    body = WebhookTest.of(tenant.environment, now=now).rendered()
    receiver = Receiver(ids.new_id(ids.DELIVERY), endpoint.url, endpoint.id)
    event = Event(tenant, EventType.WEBHOOK_TEST, "", body)
    await webhooks.tell(transaction, tenant, [(event, [receiver])], now=now)
    return receiver.delivery_id


async def redeliver(transaction: Transaction, tenant: Tenant, delivery_id: str, *, now: dt.datetime) -> None:
    """Send a finished delivery again, with its retries; one for an endpoint goes where that is now.

    Raises NotFoundError or NotFinishedError.
    """
    await get(transaction, tenant, delivery_id)
    if not await history_store.reopen(transaction, tenant, delivery_id, now=now):
        msg = "This delivery is still being tried."
        raise NotFinishedError(msg)
    await concurrency.queue(transaction, tenant, [delivery_id])


async def redeliver_failed(
    transaction: Transaction, tenant: Tenant, *, since: dt.datetime, until: dt.datetime, now: dt.datetime
) -> int:
    """Send again what was given up in a span of time, a few hundred at a time, the oldest first; answers how many."""
    found = await history_store.reopen_failed(transaction, tenant, since=since, until=until, now=now, limit=_AT_A_TIME)
    await concurrency.queue(transaction, tenant, found)
    return len(found)
