"""Events on the wire: as a list, and as a stream of server-sent events (WHATWG HTML, "Server-sent events").

The trap: a stream that holds a connection of the database while nothing happens, or goes on under a key that was
revoked; between two looks it holds nothing, and each look is admitted like a request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from pydantic import AfterValidator, Field
from starlette.requests import Request
from starlette.responses import Response

from pcs.base import ids
from pcs.base.bells import rung
from pcs.http.access import Access, access_for, answer
from pcs.http.lists import ListOf, Moment, PageQuery, paged
from pcs.http.openapi import refusing
from pcs.http.streams import STREAMED, streamed, wants_stream
from pcs.organizations.model import Scope, UnauthenticatedError
from pcs.webhooks import feed_store
from pcs.webhooks.model import EventPlace, EventType, StoredEvent
from pcs.wire.base import Answer, Matching, Text, Timestamp

router = APIRouter(tags=["webhooks"])

NOTHING = f"{ids.EVENT}_{'0' * 26}"
"""An id before every event's: where a stream begins that has none behind it."""
_AT_A_TIME = 100
_ALONE = 15.0  # seconds after which a stream looks without having been woken, and shows its reader that it lives
_UNSETTLED = 0.2  # seconds after which it looks again where an earlier transaction has not ended


_ONE = "|".join(sorted(kind.value.replace(".", "[.]") for kind in EventType))
_TYPES = f"^({_ONE})(,({_ONE}))*$"


def _types(text: str) -> str:
    known = {kind.value for kind in EventType}
    unknown = [one for one in text.split(",") if one not in known]
    if unknown:
        msg = f"has no event {unknown[0]}: there are {', '.join(sorted(known))}"
        raise ValueError(msg)
    return text


class EventQuery(PageQuery):
    """Which events."""

    types: Annotated[Text, AfterValidator(_types), Field(json_schema_extra={"pattern": _TYPES})] | None = Field(
        default=None, description="Only events of these kinds, commas between, such as `batch.completed`."
    )
    since: Moment | None = Field(default=None, description="Only events of this time and later.")

    @property
    def wanted(self) -> list[EventType] | None:
        """The kinds that are asked for; None is all."""
        return None if self.types is None else [EventType(one) for one in self.types.split(",")]


class StoredEventOutput(Answer):
    """Something that happened, whether or not anybody was told of it."""

    id: str = Field(description="What receivers get as webhook-id.")
    event_type: EventType
    subject_id: str = Field(description="The classification or batch; for a test, the event itself.")
    created_at: Timestamp
    body: dict[str, Any] = Field(description="What receivers of it are sent.")

    @classmethod
    def of(cls, one: StoredEvent) -> StoredEventOutput:
        """The wire shape of an event."""
        return cls(
            id=one.id,
            event_type=one.type,
            subject_id=one.subject_id,
            created_at=one.created_at,
            body=json.loads(one.body),
        )


LastSeen = Annotated[
    Annotated[str, Matching(f"^{ids.EVENT}_{ids.SHAPE}$", "must be the id of an event")] | None,
    Header(
        alias="Last-Event-ID",
        description="A stream begins after this event; one that is not kept any more means: with the oldest.",
    ),
]


@router.get("/events", response_model=ListOf[StoredEventOutput], responses=refusing(400) | STREAMED)
async def list_events(
    request: Request,
    query: Annotated[EventQuery, Query()],
    access: Annotated[Access, access_for(Scope.WEBHOOKS_READ)],
    last_event_id: LastSeen = None,
) -> Response:
    """List the events of the last 30 days, newest first; or follow them, with `Accept: text/event-stream`.

    A stream sends what happens from now on, or since `since`, or after the event in `Last-Event-ID`, oldest first, each
    once. `id` is the event's, `event` its kind and `data` the very body that receivers are sent.
    """
    if wants_stream(request):
        return await _stream(access, query, last_event_id)
    async with access.read() as transaction:
        found = await feed_store.list_page(
            transaction, access.tenant, query.slice(ids.EVENT), types=query.wanted, since=query.since
        )
    return answer(paged(found, [StoredEventOutput.of(one) for one in found.items]))


async def _stream(access: Access, query: EventQuery, last_seen: str | None) -> Response:
    async with access.read() as transaction:
        if last_seen is not None:
            place = await feed_store.place_of(transaction, access.tenant, last_seen)
        elif query.since is not None:
            place = await feed_store.before(transaction, access.tenant, query.since)
        else:
            place = await feed_store.end(transaction, access.tenant)
    begun = (
        b"" if last_seen is None and query.since else b"id: %s\n" % (last_seen or place.event_id or NOTHING).encode()
    )
    return streamed(_told(access, query.wanted, place, begun))


async def _told(
    access: Access, wanted: list[EventType] | None, place: EventPlace, begun: bytes
) -> AsyncIterator[bytes]:
    """The stream's bytes: first where it begins, so that whoever loses it before the first event goes on from there."""
    yield begun + b"retry: 1000\n\n"
    async for events in _followed(access, place):
        told = [_message(one) for one in events if wanted is None or one.type in wanted]
        passed = [] if told or not events else [b"id: %s\n\n" % events[-1].id.encode()]
        yield b"".join(told or passed) or b": nothing happened\n\n"


async def _followed(access: Access, place: EventPlace) -> AsyncIterator[list[StoredEvent]]:
    """What happens after a place, each once and in order; an empty list now and then where nothing does."""
    bells = access.service.bells
    with bells.bell(access.tenant) as bell:
        while not bells.ended:
            bell.clear()
            try:
                events, more = await _look(access, place)
            except UnauthenticatedError:
                return
            if events:
                place = events[-1].place
                yield events
            if more:
                await asyncio.sleep(0 if events else _UNSETTLED)
            elif not await rung(bell, seconds=_ALONE):
                yield []


async def _look(access: Access, place: EventPlace) -> tuple[list[StoredEvent], bool]:
    async with access.read() as transaction:
        return await feed_store.after(transaction, access.tenant, place, limit=_AT_A_TIME)


def _message(event: StoredEvent) -> bytes:
    return b"id: %s\nevent: %s\ndata: %s\n\n" % (event.id.encode(), event.type.encode(), event.body)
