"""The SQL that stores what happened and who is told: any number of events, and their deliveries each with its job.

The trap: a statement for each event, each delivery and each job, while others wait who end something of the batch."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from typing import Any

from sqlalchemy import text

from pcs.base.database import Insertion, Prepared, Transaction, by_column, unnested
from pcs.base.owned import owned_sql
from pcs.base.queue import Order, deferring, ordered, wake
from pcs.base.tenancy import Tenant
from pcs.webhooks.model import DEFAULT, DELIVER, MAX_AT_ONCE, DeliveryStatus, Event, Receiver
from pcs.webhooks.store import deliveries, events

_ADD_EVENTS = Insertion(events, "id", *Tenant.COLUMNS, "type", "subject_id", "body", "created_at")
_GIVEN = (
    *("id", "event_id", "url", "status", "skipped", "next_attempt_at", "finished_at", "created_at", "for_endpoint"),
    "endpoint_id",
)
_HOLD = Insertion(deliveries, *Tenant.COLUMNS, *_GIVEN)
# the more deliveries a tenant has open, the later its next goes, so that none holds up the others
_OPEN = f"""
    SELECT count(*) FROM (
        SELECT 1 FROM deliveries WHERE {owned_sql()} AND status IN ('pending', 'sending') LIMIT 1000) open
"""  # noqa: S608 (our own constants)
_SEND = Prepared(
    text(f"""
        WITH job AS ({deferring(_OPEN)})
        INSERT INTO deliveries ({", ".join(_GIVEN)}, {", ".join(Tenant.COLUMNS)}, job_id)
        SELECT {", ".join(f"new.{name}" for name in _GIVEN)}, {", ".join(f":{name}" for name in Tenant.COLUMNS)}, job.id
          FROM {unnested(deliveries, _GIVEN)} WITH ORDINALITY AS new ({", ".join(_GIVEN)}, place)
          JOIN job ON job.place = new.place
    """)  # noqa: S608 (our own constants)
)

Named = tuple[str, Event]
Told = tuple[str, Receiver]


async def add_events(transaction: Transaction, tenant: Tenant, named: Sequence[Named], *, now: dt.datetime) -> None:
    """Store what happened, by its ids. The database refuses the same thing twice."""
    rows = [
        {
            "id": name,
            **tenant.columns,
            "type": event.type,
            "subject_id": event.subject_id or name,
            "body": event.body,
            "created_at": now,
        }
        for name, event in named
    ]
    await _ADD_EVENTS.post(transaction, rows)


async def add_deliveries(transaction: Transaction, tenant: Tenant, told: Sequence[Told], *, now: dt.datetime) -> None:
    """Store one delivery for each receiver of an event, by the event's id: pending with its job, or skipped.

    Of those to one receiver only as many have a job as are sent at once; the others are parked, and go when those have.
    """
    due, waiting = _in_turns([one for one in told if not one[1].skipped])
    held = [*(one for one in told if one[1].skipped), *waiting]
    await _HOLD.post(transaction, [tenant.columns | _row(*one, now=now) for one in held])
    if due:
        orders = [Order(receiver.delivery_id, priority=-place) for place, (_, receiver) in enumerate(due, start=1)]
        columns = by_column([_row(*one, now=now) for one in due], _GIVEN)
        await _SEND.post(transaction, **tenant.columns, **ordered(DELIVER, orders), **columns)
        wake(transaction, DELIVER)


def _in_turns(told: Sequence[Told]) -> tuple[list[Told], list[Told]]:
    """Those that may be sent at once, and those that wait for them; by address, as a host has at least one."""
    counts: Counter[tuple[str | None, str]] = Counter()
    turns: tuple[list[Told], list[Told]] = ([], [])
    for one in told:
        receiver = (one[1].endpoint_id, one[1].url)
        turns[counts[receiver] >= MAX_AT_ONCE].append(one)
        counts[receiver] += 1
    return turns


def _row(event_id: str, receiver: Receiver, *, now: dt.datetime) -> dict[str, Any]:
    """A delivery's columns. The version before reads what is skipped as failed, and knows the default endpoint only."""
    due, over = (None, now) if receiver.skipped else (now, None)
    return {
        "id": receiver.delivery_id,
        "event_id": event_id,
        "url": receiver.url,
        "status": DeliveryStatus.FAILED if receiver.skipped else DeliveryStatus.PENDING,
        "skipped": receiver.skipped,
        "next_attempt_at": due,
        "finished_at": over,
        "created_at": now,
        "for_endpoint": receiver.endpoint_id == DEFAULT,
        "endpoint_id": None if receiver.endpoint_id == DEFAULT else receiver.endpoint_id,
    }
