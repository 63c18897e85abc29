"""Events and their deliveries. The trap: an event is what happened, once; a delivery is one endpoint being told of it,
as often as needed, always with the same id and bytes. Lists of deliveries carry no bodies."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from enum import StrEnum

from pcs.base.errors import RefusalError
from pcs.base.plurals import counted
from pcs.base.tasks import DELIVERY, Task
from pcs.base.tenancy import Tenant

DELIVER = Task("webhooks.deliver", DELIVERY)

RETRY_DELAYS = tuple(dt.timedelta(seconds=seconds) for seconds in (60, 300, 1800))
"""After the first failure, the second and the third; a fourth is final. Source: interface.md, Events."""

ROTATION = dt.timedelta(hours=24)
"""How long deliveries are signed with the previous secret too."""

MAX_AT_ONCE = 5
"""Sends of one organization to one receiver at the same time, over all workers."""

MAX_BROKEN_OFF = 10
"""Sends of one delivery that end in no record (killed workers, unknown faults) before it is given up."""

MAX_ENDPOINTS = 10
"""Endpoints that an organization may have in an environment beside the default one."""

DEFAULT = "default"
"""What the endpoint that the contract's `PUT /webhooks` sets is called among the others."""

MAX_DESCRIPTION = 200
"""Characters of what an endpoint is for."""

MAX_URL_LENGTH = 2048
"""Characters of an address to send to."""

HISTORY = dt.timedelta(days=30)
"""How long finished deliveries are kept."""


class EventType(StrEnum):
    """What can happen."""

    CLASSIFICATION_COMPLETED = "classification.completed"
    CLASSIFICATION_FAILED = "classification.failed"
    CLASSIFICATION_REVIEWED = "classification.reviewed"
    BATCH_COMPLETED = "batch.completed"
    SCHEDULE_OUTDATED = "schedule.outdated"
    WEBHOOK_TEST = "webhook.test"


class DeliveryStatus(StrEnum):
    """Waiting for its time, on its way, answered with 2xx, given up, or held as its endpoint was disabled."""

    PENDING = "pending"
    SENDING = "sending"
    DELIVERED = "delivered"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """What a customer configures. `secret` and `description` None keep what there is, empty ones remove it."""

    url: str
    secret: str | None
    event_types: tuple[EventType, ...]
    enabled: bool
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One of an organization's endpoints as stored; secrets are sealed. The default one's `id` is `DEFAULT`."""

    id: str
    tenant: Tenant
    url: str
    description: str
    secret: bytes | None
    previous_secret: bytes | None
    previous_until: dt.datetime | None
    event_types: tuple[EventType, ...]
    enabled: bool
    created_at: dt.datetime
    updated_at: dt.datetime

    def wants(self, event_type: EventType) -> bool:
        """Whether the endpoint is to be told, at once or, while it is disabled, when it is asked for."""
        return event_type in self.event_types


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a `subject_id`, which is empty where it is about nothing but itself; `body` is what
    receivers read, byte for byte."""

    tenant: Tenant
    type: EventType
    subject_id: str
    body: bytes


@dataclass(frozen=True, slots=True)
class EventPlace:
    """A place in the order in which a tenant's events came to be seen: after this event of this transaction."""

    transaction_id: int
    event_id: str


START = EventPlace(0, "")
"""Before every event."""


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event as whoever follows them reads it; `body` is what receivers get, byte for byte."""

    id: str
    type: EventType
    subject_id: str
    body: bytes
    created_at: dt.datetime
    place: EventPlace


@dataclass(frozen=True, slots=True)
class Receiver:
    """Who is to be told of an event, and the id of the delivery that does it; a request's own URL is no endpoint's."""

    delivery_id: str
    url: str
    endpoint_id: str | None
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class ClaimedDelivery:
    """A delivery that one worker may send now; `claim` fences off whoever claimed it before.

    `endpoint_id` is the endpoint that asked for it, None where a request did; `job` carries it.
    """

    id: str
    tenant: Tenant
    event_id: str
    event_type: EventType
    url: str
    body: bytes
    claim: int
    failures: int
    endpoint_id: str | None = None
    job: int | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """Whether a sending was recorded, and the delivery that its job is about from then on."""

    counts: bool
    following: str | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """How one sending went. `error` says in words why there is no status."""

    started_at: dt.datetime
    duration_ms: int
    response_status: int | None = None
    response_body: str | None = None
    error: str | None = None

    @property
    def succeeded(self) -> bool:
        """Whether the receiver answered 2xx."""
        return self.response_status is not None and 200 <= self.response_status < 300


class NotFinishedError(RefusalError):
    """A delivery that is still being tried cannot be sent again."""


class TooManyEndpointsError(RefusalError):
    """An organization has as many endpoints as it may have."""

    def __init__(self) -> None:
        super().__init__(
            f"There are {MAX_ENDPOINTS} endpoints beside the default one already, and no more are possible: "
            "remove one, or send more kinds of events to one of them."
        )


class EndpointTakenError(RefusalError):
    """Two endpoints of an organization cannot have the same address: each event goes to an address once."""

    def __init__(self) -> None:
        super().__init__("Another endpoint has this URL: change that one, or give this one another URL.")


@dataclass(frozen=True, slots=True)
class DeliveryFilters:
    """Which deliveries to list; None asks for all."""

    status: DeliveryStatus | None = None
    event_type: EventType | None = None
    endpoint_id: str | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """One endpoint being told of one event about a `subject_id`; no `endpoint_id` where a request named the URL, and
    no `product_name` where the event is of more than one product, or of none.

    `last_status` is the receiver's latest answer, None without one; `next_attempt_at` is there while one is to come;
    `failures` count from the latest redelivery.
    """

    id: str
    event_id: str
    subject_id: str
    event_type: EventType
    url: str
    status: DeliveryStatus
    attempts: int
    failures: int
    created_at: dt.datetime
    next_attempt_at: dt.datetime | None
    finished_at: dt.datetime | None
    last_status: int | None
    last_error: str | None
    endpoint_id: str | None = None
    product_name: str | None = None
    product_identifier: str | None = None
    body: bytes = b""

    def progress(self, now: dt.datetime) -> str:
        """How it stands, in words, such as `retrying 1 of 3, next in 48 s`."""
        if self.status is DeliveryStatus.SKIPPED:
            return "held while the endpoint was disabled"
        if self.status is DeliveryStatus.FAILED:
            return f"failed after {counted(self.attempts, 'attempt')}"
        if self.status is not DeliveryStatus.PENDING or not self.failures:
            return {DeliveryStatus.PENDING: "waiting"}.get(self.status, self.status.value)
        wait = (self.next_attempt_at - now).total_seconds() if self.next_attempt_at else 0
        return f"retrying {self.failures} of {len(RETRY_DELAYS)}, next {_in(wait)}"


def _in(seconds: float) -> str:
    """Words for a short time to come.

    >>> _in(47.2), _in(300), _in(-3)
    ('in 48 s', 'in 5 min', 'now')
    """
    whole = math.ceil(seconds)
    if whole <= 0:
        return "now"
    return f"in {whole} s" if whole < 120 else f"in {whole // 60} min"


class NotReplayableError(RefusalError):
    """An endpoint to which nothing can be replayed now. The message says why."""


UNDELIVERED = (DeliveryStatus.FAILED, DeliveryStatus.SKIPPED)
"""What a replay sends again where it does not say what."""


@dataclass(frozen=True, slots=True)
class Replay:
    """Deliveries of an endpoint being sent again, in portions: of these `statuses`, made from `since` on until the
    replay was asked for. `queued` of `total` are on their way."""

    id: str
    tenant: Tenant
    endpoint_id: str
    statuses: tuple[DeliveryStatus, ...]
    since: dt.datetime | None
    after: str
    until: str
    total: int
    queued: int
    created_at: dt.datetime
    finished_at: dt.datetime | None = None


def delivery_headers(event_type: str, delivery_id: str) -> dict[str, str]:
    """What every delivery says of itself, beside its signature."""
    return {
        "Content-Type": "application/json",
        "User-Agent": "pcs-webhooks/1",
        "X-Service-Event": event_type,
        "X-Service-Delivery-ID": delivery_id,
    }
