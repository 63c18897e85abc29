"""Webhook configuration on the wire. The trap: a secret that comes back; only whether there is one does."""

from __future__ import annotations

import datetime as dt
import json
from typing import Annotated, Any, Literal, Self

from fastapi import APIRouter, Query
from pydantic import Field, StringConstraints
from starlette.responses import Response

from pcs.base import ids
from pcs.base.errors import InvalidRequestError, Violation
from pcs.http.access import Access, access_for, answer
from pcs.http.bodies import BodyRoute
from pcs.http.lists import ListOf, PageQuery, paged
from pcs.http.openapi import changing, refusing
from pcs.organizations import audit
from pcs.organizations.model import Scope
from pcs.organizations.people import Action
from pcs.webhooks import endpoints, history
from pcs.webhooks.addresses import RefusedAddressError
from pcs.webhooks.model import (
    DEFAULT,
    Attempt,
    Delivery,
    DeliveryFilters,
    DeliveryStatus,
    Endpoint,
    EndpointSettings,
    EventType,
)
from pcs.webhooks.resolving import check_reachable
from pcs.wire.base import Answer, Matching, Text, Timestamp, Url, Wire

router = APIRouter(route_class=BodyRoute, tags=["webhooks"])

EventWord = Literal[
    "classification.completed",
    "classification.failed",
    "classification.reviewed",
    "batch.completed",
    "schedule.outdated",
    "webhook.test",
]
ENDPOINT_ID = f"^({DEFAULT}|{ids.ENDPOINT}_{ids.SHAPE})$"
Secret = Annotated[
    Text,
    StringConstraints(max_length=255),
    Matching(r"^[\x21-\x7e]*$", "must have printable ASCII characters only, without spaces"),
]


class EndpointInput(Wire):
    """Where events go. Without `secret` the stored one stays; an empty one removes it."""

    url: Url
    secret: Secret | None = None
    event_types: Annotated[list[EventWord], Field(min_length=1, max_length=len(EventType))] = Field(
        default=["classification.completed"]
    )
    enabled: bool = True


class EndpointOutput(Answer):
    """An endpoint."""

    url: str
    secret_set: bool
    event_types: list[str]
    enabled: bool
    created_at: Timestamp
    updated_at: Timestamp

    @classmethod
    def of(cls, endpoint: Endpoint, **more: str | None) -> Self:
        """The wire shape of a stored endpoint."""
        return cls(
            url=endpoint.url,
            secret_set=endpoint.secret is not None,
            event_types=[kind.value for kind in endpoint.event_types],
            enabled=endpoint.enabled,
            created_at=endpoint.created_at,
            updated_at=endpoint.updated_at,
            **more,
        )


async def check_url(access: Access, url: str) -> None:
    """Raise InvalidRequestError where events may not go there."""
    try:
        await check_reachable(access.service.address_policy, url)
    except RefusedAddressError as refusal:
        raise InvalidRequestError(Violation("url", str(refusal))) from None


@router.put("/webhooks", response_model=EndpointOutput, responses=changing())
async def set_webhook(body: EndpointInput, access: Annotated[Access, access_for(Scope.WEBHOOKS_WRITE)]) -> Response:
    """Set the organization-wide webhook: the default endpoint."""
    await check_url(access, body.url)
    kinds = tuple(dict.fromkeys(map(EventType, body.event_types)))
    new = EndpointSettings(url=body.url, secret=body.secret, event_types=kinds, enabled=body.enabled)
    async with access.write() as transaction:
        endpoint = await endpoints.configure(transaction, access.tenant, new, access.service.secrets, now=access.now)
        detail = f"{new.url} ({access.tenant.environment})" + (", new secret" if new.secret else "")
        await audit.record(transaction, access.actor, Action.WEBHOOK_SET, detail=detail, now=access.now)
    return answer(EndpointOutput.of(endpoint))


@router.get("/webhooks", response_model=EndpointOutput, responses=refusing(404))
async def get_webhook(access: Annotated[Access, access_for(Scope.WEBHOOKS_READ)]) -> Response:
    """Get the organization-wide webhook."""
    async with access.read() as transaction:
        endpoint = await endpoints.get(transaction, access.tenant)
    return answer(EndpointOutput.of(endpoint))


@router.delete("/webhooks", status_code=204, response_class=Response, responses=changing(404))
async def remove_webhook(access: Annotated[Access, access_for(Scope.WEBHOOKS_WRITE)]) -> Response:
    """Remove the organization-wide webhook."""
    async with access.write() as transaction:
        await endpoints.remove(transaction, access.tenant)
        detail = access.tenant.environment.value
        await audit.record(transaction, access.actor, Action.WEBHOOK_REMOVED, detail=detail, now=access.now)
    return Response(status_code=204)


class DeliveredProduct(Answer):
    """The goods that an event tells of."""

    name: str
    identifier: str | None


class DeliveryOutput(Answer):
    """One event sent to one receiver; id and body stay the same over every attempt."""

    id: str = Field(description="What receivers get as X-Service-Delivery-ID.")
    endpoint_id: str | None = Field(description="The endpoint that it is for; null where a request named the URL.")
    event_id: str = Field(description="What receivers get as webhook-id.")
    event_type: EventType
    subject_id: str = Field(description="The classification or batch; for a test, the event itself.")
    product: DeliveredProduct | None = Field(description="The goods that it tells of, where it is of one product.")
    url: str
    status: DeliveryStatus
    progress: str = Field(description="The same in words, such as `retrying 1 of 3, next in 48 s`.")
    attempts: int
    created_at: Timestamp
    next_attempt_at: Timestamp | None = Field(description="When it is tried next; null once it has ended.")
    finished_at: Timestamp | None
    last_response_status: int | None
    last_error: str | None

    @classmethod
    def of(cls, delivery: Delivery, now: dt.datetime) -> DeliveryOutput:
        """The wire shape of a delivery."""
        return cls(**_fields(delivery, now))


class AttemptOutput(Answer):
    """One send: the receiver's status with the first 2 KiB of its answer, or the error that there was instead."""

    started_at: Timestamp
    duration_ms: int
    response_status: int | None
    response_body: str | None
    error: str | None

    @classmethod
    def of(cls, attempt: Attempt) -> AttemptOutput:
        """The wire shape of an attempt."""
        return cls(
            started_at=attempt.started_at,
            duration_ms=attempt.duration_ms,
            response_status=attempt.response_status,
            response_body=attempt.response_body,
            error=attempt.error,
        )


class DeliveryDetail(DeliveryOutput):
    """A delivery with what is sent and every attempt, oldest first."""

    body: dict[str, Any] = Field(description="The event that is sent.")
    attempt_history: list[AttemptOutput]


class Queued(Answer):
    """A delivery that goes out now."""

    delivery_id: str


class DeliveryQuery(PageQuery):
    """Which deliveries to list."""

    status: DeliveryStatus | None = None
    event_type: EventType | None = None
    endpoint_id: Annotated[str, Matching(ENDPOINT_ID, "must be `default` or the id of an endpoint")] | None = None


def _product(delivery: Delivery) -> DeliveredProduct | None:
    if delivery.product_name is None:
        return None
    return DeliveredProduct(name=delivery.product_name, identifier=delivery.product_identifier)


def _fields(delivery: Delivery, now: dt.datetime) -> dict[str, Any]:
    return {
        "id": delivery.id,
        "endpoint_id": delivery.endpoint_id,
        "event_id": delivery.event_id,
        "event_type": delivery.event_type,
        "subject_id": delivery.subject_id,
        "product": _product(delivery),
        "url": delivery.url,
        "status": delivery.status,
        "progress": delivery.progress(now),
        "attempts": delivery.attempts,
        "created_at": delivery.created_at,
        "next_attempt_at": delivery.next_attempt_at,
        "finished_at": delivery.finished_at,
        "last_response_status": delivery.last_status,
        "last_error": delivery.last_error,
    }


@router.post("/webhooks/test", status_code=202, response_model=Queued, responses=refusing(404))
async def test_webhook(access: Annotated[Access, access_for(Scope.WEBHOOKS_WRITE)]) -> Response:
    """Send a `webhook.test` event to the organization-wide webhook, whatever it is subscribed to, enabled or not."""
    async with access.write() as transaction:
        delivery_id = await history.send_test(transaction, access.tenant, now=access.now)
        await audit.record(transaction, access.actor, Action.WEBHOOK_TESTED, subject=delivery_id, now=access.now)
    return answer(Queued(delivery_id=delivery_id), 202)


@router.get("/webhooks/deliveries", response_model=ListOf[DeliveryOutput], responses=refusing(400))
async def list_deliveries(
    query: Annotated[DeliveryQuery, Query()], access: Annotated[Access, access_for(Scope.WEBHOOKS_READ)]
) -> Response:
    """List deliveries of the last 30 days, newest first."""
    filters = DeliveryFilters(query.status, query.event_type, query.endpoint_id)
    async with access.read() as transaction:
        found = await history.list_page(transaction, access.tenant, filters, query.slice(ids.DELIVERY))
    return answer(paged(found, [DeliveryOutput.of(one, access.now) for one in found.items]))


@router.get("/webhooks/deliveries/{delivery_id}", response_model=DeliveryDetail, responses=refusing(404))
async def get_delivery(delivery_id: str, access: Annotated[Access, access_for(Scope.WEBHOOKS_READ)]) -> Response:
    """Get one delivery with its body and every attempt."""
    async with access.read() as transaction:
        found, attempts = await history.get(transaction, access.tenant, delivery_id)
    made = [AttemptOutput.of(one) for one in attempts]
    detail = DeliveryDetail(**_fields(found, access.now), body=json.loads(found.body), attempt_history=made)
    return answer(detail)


@router.post(
    "/webhooks/deliveries/{delivery_id}/redeliver", status_code=202, response_model=Queued, responses=refusing(404, 409)
)
async def redeliver_event(delivery_id: str, access: Annotated[Access, access_for(Scope.WEBHOOKS_WRITE)]) -> Response:
    """Send a finished delivery again with the same id and body, and with its retries.

    One for the organization-wide webhook goes to the URL that is configured now.
    """
    async with access.write() as transaction:
        await history.redeliver(transaction, access.tenant, delivery_id, now=access.now)
        await audit.record(transaction, access.actor, Action.WEBHOOK_REDELIVERED, subject=delivery_id, now=access.now)
    return answer(Queued(delivery_id=delivery_id), 202)
