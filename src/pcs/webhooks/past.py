"""A delivery as its sender looks back on it. The trap: carrying every body to a list that shows none."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from pcs.base.errors import RefusalError
from pcs.webhooks.model import DeliveryStatus, EventType


class UnderWayError(RefusalError):
    """A delivery that is still being tried cannot be sent again."""


@dataclass(frozen=True, slots=True)
class DeliveryFilters:
    """Which deliveries to list; None asks for all."""

    status: DeliveryStatus | None = None
    event_type: EventType | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """One endpoint being told of one event about a `subject_id`.

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
    body: bytes = b""
