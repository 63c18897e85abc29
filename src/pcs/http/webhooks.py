"""Webhook configuration on the wire. The trap: a secret that comes back; only whether there is one does."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field, StringConstraints
from starlette.responses import Response

from pcs.http.door import Door, answer, door_for
from pcs.http.openapi import changing, refusing
from pcs.http.urls import check_webhook_url
from pcs.http.wire import Answer, Text, Timestamp, Url, Wire
from pcs.organizations.model import Scope
from pcs.webhooks import service as webhooks
from pcs.webhooks.model import Endpoint, EndpointSettings, EventType

router = APIRouter(tags=["webhooks"])

EventWord = Literal["classification.completed", "classification.failed", "batch.completed", "webhook.test"]
Secret = Annotated[Text, StringConstraints(max_length=255, pattern=r"^[\x21-\x7e]*$")]


class EndpointInput(Wire):
    """Where events go. Without `secret` the stored one stays; an empty one removes it."""

    url: Url
    secret: Secret | None = None
    event_types: Annotated[list[EventWord], Field(min_length=1, max_length=len(EventType))] = Field(
        default=["classification.completed"]
    )
    enabled: bool = True


class EndpointOutput(Answer):
    """The organization-wide endpoint."""

    url: str
    secret_set: bool
    event_types: list[str]
    enabled: bool
    created_at: Timestamp
    updated_at: Timestamp

    @classmethod
    def of(cls, endpoint: Endpoint) -> EndpointOutput:
        """The wire shape of a stored endpoint."""
        return cls(
            url=endpoint.url,
            secret_set=endpoint.secret is not None,
            event_types=[kind.value for kind in endpoint.event_types],
            enabled=endpoint.enabled,
            created_at=endpoint.created_at,
            updated_at=endpoint.updated_at,
        )


@router.put("/webhooks", response_model=EndpointOutput, responses=changing())
async def configure(body: EndpointInput, door: Annotated[Door, door_for(Scope.WEBHOOKS_WRITE)]) -> Response:
    """Set the organization-wide webhook."""
    check_webhook_url(door.service, "url", body.url)
    kinds = tuple(dict.fromkeys(map(EventType, body.event_types)))
    new = EndpointSettings(url=body.url, secret=body.secret, event_types=kinds, enabled=body.enabled)
    async with door.write() as transaction:
        endpoint = await webhooks.configure(transaction, door.tenant, new, door.service.secrets, now=door.now)
    return answer(EndpointOutput.of(endpoint))


@router.get("/webhooks", response_model=EndpointOutput, responses=refusing(404))
async def read(door: Annotated[Door, door_for(Scope.WEBHOOKS_READ)]) -> Response:
    """Get the organization-wide webhook."""
    async with door.read() as transaction:
        endpoint = await webhooks.get_endpoint(transaction, door.tenant)
    return answer(EndpointOutput.of(endpoint))


@router.delete("/webhooks", status_code=204, response_class=Response, responses=changing(404))
async def remove(door: Annotated[Door, door_for(Scope.WEBHOOKS_WRITE)]) -> Response:
    """Remove the organization-wide webhook."""
    async with door.write() as transaction:
        await webhooks.remove_endpoint(transaction, door.tenant)
    return Response(status_code=204)
