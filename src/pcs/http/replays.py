"""Replays on the wire: what an endpoint did not get is sent again. The trap: a request that waits until all is sent; it
answers how many there are, and where to ask how far it is."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from pcs.base.plurals import counted
from pcs.http.access import Access, access_for, answer
from pcs.http.bodies import BodyRoute
from pcs.http.lists import Moment
from pcs.http.openapi import changing, refusing
from pcs.organizations import audit
from pcs.organizations.model import Scope
from pcs.organizations.people import Action
from pcs.webhooks import replays
from pcs.webhooks.model import DeliveryStatus, Replay
from pcs.wire.base import Answer, Timestamp, Wire

router = APIRouter(route_class=BodyRoute, tags=["webhooks"])

_PATH = "/webhooks/endpoints/{endpoint_id}/replays"
StatusWord = Literal["delivered", "failed", "skipped"]


class ReplayInput(Wire):
    """What to send again: everything, or what was made since a time."""

    since: Moment | None = Field(default=None, description="Deliveries made at this time or later; all if left out.")
    statuses: Annotated[list[StatusWord], Field(min_length=1, max_length=3)] = Field(
        default=["failed", "skipped"],
        description="`skipped` are those that were held while the endpoint was disabled.",
    )


class ReplayOutput(Answer):
    """Deliveries being sent again, a portion at a time."""

    id: str
    endpoint_id: str
    since: Timestamp | None
    statuses: list[str]
    total: int = Field(description="How many there were when the replay began.")
    queued: int = Field(description="How many of them are waiting, being sent, or over.")
    status: Literal["running", "finished"]
    created_at: Timestamp
    finished_at: Timestamp | None = Field(description="When the last of them was queued.")

    @classmethod
    def of(cls, replay: Replay) -> ReplayOutput:
        """The wire shape of a replay."""
        return cls(
            id=replay.id,
            endpoint_id=replay.endpoint_id,
            since=replay.since,
            statuses=[one.value for one in replay.statuses],
            total=replay.total,
            queued=replay.queued,
            status="finished" if replay.finished_at else "running",
            created_at=replay.created_at,
            finished_at=replay.finished_at,
        )


@router.post(_PATH, status_code=202, response_model=ReplayOutput, responses=changing(404, 409))
async def replay_webhook_endpoint(
    endpoint_id: str, body: ReplayInput, access: Annotated[Access, access_for(Scope.WEBHOOKS_WRITE)]
) -> Response:
    """Send again what an endpoint did not get, with the same ids and bodies, in the background.

    What is waiting or being sent is left alone. There is one replay to an endpoint at a time.
    """
    wanted = tuple(dict.fromkeys(map(DeliveryStatus, body.statuses)))
    async with access.write() as transaction:
        begun = await replays.begin(
            transaction, access.tenant, endpoint_id, since=body.since, statuses=wanted, now=access.now
        )
        detail = f"{counted(begun.total, 'delivery')} ({access.tenant.environment})"
        await audit.record(
            transaction, access.actor, Action.WEBHOOK_REDELIVERED, subject=endpoint_id, detail=detail, now=access.now
        )
    return answer(ReplayOutput.of(begun), 202)


@router.get(f"{_PATH}/{{replay_id}}", response_model=ReplayOutput, responses=refusing(404))
async def get_webhook_replay(
    endpoint_id: str, replay_id: str, access: Annotated[Access, access_for(Scope.WEBHOOKS_READ)]
) -> Response:
    """Get how far a replay is."""
    async with access.read() as transaction:
        found = await replays.get(transaction, access.tenant, endpoint_id, replay_id)
    return answer(ReplayOutput.of(found))
