"""A delivery as its sender looks back on it. The trap: carrying every body to a list that shows none."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from pcs.base.errors import RefusalError
from pcs.webhooks.model import DeliveryStatus, EventType


class UnderWayError(RefusalError):
    """A delivery that is still being tried cannot be sent again."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One endpoint being told of one event. `last_status` is the receiver's latest answer, None without one."""

    id: str
    event_type: EventType
    url: str
    status: DeliveryStatus
    attempts: int
    created_at: dt.datetime
    next_attempt_at: dt.datetime | None
    last_status: int | None
    last_error: str | None
    body: bytes = b""
