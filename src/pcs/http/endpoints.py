"""Webhook endpoints beside the default one on the wire, and the default one among them.

The trap: a secret that can be read again; the answer that makes one is the only one that has it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field, StringConstraints
from starlette.responses import Response

from pcs.base.database import Transaction
from pcs.http.access import Access, access_for, answer
from pcs.http.bodies import BodyRoute
from pcs.http.openapi import changing, refusing
from pcs.http.webhooks import EndpointInput, EndpointOutput, EventWord, Queued, Secret, check_url
from pcs.organizations import audit
from pcs.organizations.model import Scope
from pcs.organizations.people import Action
from pcs.webhooks import endpoints, history, signing
from pcs.webhooks.model import MAX_DESCRIPTION, Endpoint, EndpointSettings, EventType
from pcs.wire.base import Answer, Text, Url, Wire

router = APIRouter(route_class=BodyRoute, tags=["webhooks"])

Description = Annotated[Text, StringConstraints(max_length=MAX_DESCRIPTION)]
Kinds = Annotated[list[EventWord], Field(min_length=1, max_length=len(EventType))]
Reading = Annotated[Access, access_for(Scope.WEBHOOKS_READ)]
Writing = Annotated[Access, access_for(Scope.WEBHOOKS_WRITE)]


class NewEndpoint(EndpointInput):
    """Where more events go. Without `secret` one is made; an empty one leaves the deliveries unsigned."""

    description: Description = ""


class EndpointChanges(Wire):
    """What is to change; what is left out stays as it is."""

    url: Url | None = None
    description: Description | None = None
    event_types: Kinds | None = None
    enabled: bool | None = None


class NewSecret(Wire):
    """The secret to sign with from now on; without one, one is made."""

    secret: Annotated[Secret, StringConstraints(min_length=1)] | None = None


class AddedEndpoint(EndpointOutput):
    """One endpoint; `default` is the id of the one that `PUT /webhooks` sets."""

    id: str
    description: str


class EndpointWithSecret(AddedEndpoint):
    """An endpoint with the secret that it has just been given: it is not shown again."""

    secret: str | None = Field(description="Null where the deliveries are not signed.")


class AllEndpoints(Answer):
    """Every endpoint, the default one first."""

    data: list[AddedEndpoint]


def _named(endpoint: Endpoint) -> dict[str, str]:
    return {"id": endpoint.id, "description": endpoint.description}


@router.get("/webhooks/endpoints", response_model=AllEndpoints, responses=refusing())
async def list_webhook_endpoints(access: Reading) -> Response:
    """List the webhook endpoints, the default one first; there are never more than eleven."""
    async with access.read() as transaction:
        found = await endpoints.every(transaction, access.tenant)
    return answer(AllEndpoints(data=[AddedEndpoint.of(one, **_named(one)) for one in found]))


@router.post("/webhooks/endpoints", status_code=201, response_model=EndpointWithSecret, responses=changing(409))
async def create_webhook_endpoint(body: NewEndpoint, access: Writing) -> Response:
    """Add a webhook endpoint beside the default one, with its own events and its own secret."""
    await check_url(access, body.url)
    secret = signing.new_secret() if body.secret is None else body.secret
    new = EndpointSettings(body.url, secret, _kinds(body.event_types), body.enabled, body.description)
    async with access.write() as transaction:
        made = await endpoints.add(transaction, access.tenant, new, access.service.secrets, now=access.now)
        detail = f"{made.url} ({access.tenant.environment})"
        await audit.record(
            transaction, access.actor, Action.ENDPOINT_ADDED, subject=made.id, detail=detail, now=access.now
        )
    return answer(EndpointWithSecret.of(made, **_named(made), secret=secret or None), 201)


@router.get("/webhooks/endpoints/{endpoint_id}", response_model=AddedEndpoint, responses=refusing(404))
async def get_webhook_endpoint(endpoint_id: str, access: Reading) -> Response:
    """Get one webhook endpoint."""
    async with access.read() as transaction:
        found = await endpoints.get(transaction, access.tenant, endpoint_id)
    return answer(AddedEndpoint.of(found, **_named(found)))


@router.patch("/webhooks/endpoints/{endpoint_id}", response_model=AddedEndpoint, responses=changing(404, 409))
async def change_webhook_endpoint(endpoint_id: str, body: EndpointChanges, access: Writing) -> Response:
    """Change a webhook endpoint: its URL, description, events, or whether it is enabled."""
    given: dict[str, Any] = body.model_dump(exclude_none=True)
    if body.url is not None:
        await check_url(access, body.url)
    if body.event_types is not None:
        given["event_types"] = _kinds(body.event_types)
    changed = await _changed(access, endpoint_id, given)
    return answer(AddedEndpoint.of(changed, **_named(changed)))


@router.post("/webhooks/endpoints/{endpoint_id}/secret", response_model=EndpointWithSecret, responses=changing(404))
async def rotate_webhook_endpoint_secret(endpoint_id: str, body: NewSecret, access: Writing) -> Response:
    """Give a webhook endpoint another secret; for 24 hours deliveries are signed with the one before too."""
    secret = body.secret or signing.new_secret()
    changed = await _changed(access, endpoint_id, {"secret": secret})
    return answer(EndpointWithSecret.of(changed, **_named(changed), secret=secret))


@router.delete("/webhooks/endpoints/{endpoint_id}", status_code=204, response_class=Response, responses=changing(404))
async def remove_webhook_endpoint(endpoint_id: str, access: Writing) -> Response:
    """Remove a webhook endpoint; its deliveries stay listed."""
    async with access.write() as transaction:
        await endpoints.remove(transaction, access.tenant, endpoint_id)
        detail = access.tenant.environment.value
        await _note(access, transaction, Action.ENDPOINT_REMOVED, endpoint_id, detail)
    return Response(status_code=204)


@router.post("/webhooks/endpoints/{endpoint_id}/test", status_code=202, response_model=Queued, responses=refusing(404))
async def test_webhook_endpoint(endpoint_id: str, access: Writing) -> Response:
    """Send a `webhook.test` event to one endpoint, whatever it is subscribed to, enabled or not."""
    async with access.write() as transaction:
        sent = await history.send_test(transaction, access.tenant, endpoint_id, now=access.now)
        await audit.record(transaction, access.actor, Action.WEBHOOK_TESTED, subject=sent, now=access.now)
    return answer(Queued(delivery_id=sent), 202)


def _kinds(words: list[EventWord]) -> tuple[EventType, ...]:
    return tuple(dict.fromkeys(map(EventType, words)))


async def _changed(access: Access, endpoint_id: str, given: dict[str, Any]) -> Endpoint:
    async with access.write() as transaction:
        changed = await endpoints.change(
            transaction, access.tenant, endpoint_id, given, access.service.secrets, now=access.now
        )
        what = ", ".join("new secret" if name == "secret" else name.replace("_", " ") for name in sorted(given))
        detail = f"{changed.url} ({access.tenant.environment}): {what}"
        await _note(access, transaction, Action.ENDPOINT_CHANGED, endpoint_id, detail)
    return changed


async def _note(access: Access, transaction: Transaction, what: Action, endpoint_id: str, detail: str) -> None:
    await audit.record(transaction, access.actor, what, subject=endpoint_id, detail=detail, now=access.now)
