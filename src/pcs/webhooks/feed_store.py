"""The SQL of events in the order in which they came to be seen.

The trap: a place in the order of ids, or of times. An event that is committed late lies before others that have been
read, and whoever goes on from the last of those never sees it. So the order is that of the transactions, and what one
stored is shown once every earlier one has ended (PostgreSQL, "pg_snapshot_xmin")."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from sqlalchemy import RowMapping, text

from pcs.base.database import Transaction
from pcs.base.owned import owned_sql
from pcs.base.paging import Page, Slice, page
from pcs.base.tenancy import Tenant
from pcs.webhooks.model import START, EventPlace, EventType, StoredEvent

_FIELDS = "id, type, subject_id, body, created_at, transaction_id"
_SETTLED = "transaction_id < CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint)"
_OF_TYPES = "(CAST(:types AS text[]) IS NULL OR type = ANY(CAST(:types AS text[])))"
_AFTER = text(f"""
    SELECT {_FIELDS}, {_SETTLED} AS settled FROM events
     WHERE {owned_sql()} AND (transaction_id, id) > (:transaction_id, :id)
     ORDER BY transaction_id, id LIMIT :limit
""")  # noqa: S608 (our own constants)
_PLACE = text(f"SELECT id, transaction_id FROM events WHERE {owned_sql()} AND id = :id")  # noqa: S608
_END = text(f"""
    SELECT id, transaction_id FROM events WHERE {owned_sql()} AND {_SETTLED}
     ORDER BY transaction_id DESC, id DESC LIMIT 1
""")  # noqa: S608
_BEFORE = text(f"""
    SELECT '' AS id, transaction_id FROM events WHERE {owned_sql()} AND created_at >= :since
     ORDER BY transaction_id, id LIMIT 1
""")  # noqa: S608
_PAGE = text(f"""
    SELECT {_FIELDS} FROM events
     WHERE {owned_sql()} AND {_OF_TYPES}
       AND (CAST(:since AS timestamptz) IS NULL OR created_at >= :since)
       AND (CAST(:after AS text) IS NULL
            OR (transaction_id, id) < (SELECT transaction_id, id FROM events WHERE {owned_sql()} AND id = :after))
     ORDER BY transaction_id DESC, id DESC LIMIT :limit
""")  # noqa: S608
_FROM_ANOTHER_DATABASE = text("UPDATE events SET transaction_id = 0")


async def after(
    transaction: Transaction, tenant: Tenant, place: EventPlace, *, limit: int
) -> tuple[list[StoredEvent], bool]:
    """The events that follow a place and will have none between them, and whether more are stored already."""
    arguments = {**tenant.columns, "transaction_id": place.transaction_id, "id": place.event_id, "limit": limit}
    rows = (await transaction.execute(_AFTER, arguments)).mappings().all()
    settled = [row for row in rows if row["settled"]]
    return [_event(row) for row in settled], len(rows) == limit or len(settled) < len(rows)


async def place_of(transaction: Transaction, tenant: Tenant, event_id: str) -> EventPlace:
    """Where an event is; before all where it is not kept any more."""
    row = (await transaction.execute(_PLACE, {**tenant.columns, "id": event_id})).mappings().one_or_none()
    return _place(row)


async def end(transaction: Transaction, tenant: Tenant) -> EventPlace:
    """Where the newest event is that will have no other before it."""
    return _place((await transaction.execute(_END, tenant.columns)).mappings().one_or_none())


async def before(transaction: Transaction, tenant: Tenant, since: dt.datetime) -> EventPlace:
    """The place before the first event since a moment; the end where there is none."""
    row = (await transaction.execute(_BEFORE, {**tenant.columns, "since": since})).mappings().one_or_none()
    return await end(transaction, tenant) if row is None else _place(row)


async def list_page(
    transaction: Transaction,
    tenant: Tenant,
    wanted: Slice,
    *,
    types: Sequence[EventType] | None,
    since: dt.datetime | None,
) -> Page[StoredEvent]:
    """A tenant's events, newest first."""
    asked = {"types": None if types is None else list(types), "since": since, "after": wanted.after}
    rows = (await transaction.execute(_PAGE, {**tenant.columns, **asked, "limit": wanted.limit + 1})).mappings()
    return page([_event(row) for row in rows], wanted, lambda one: one.id)


async def begin_order_anew(transaction: Transaction) -> None:
    """Forget which transactions stored the events, which were another database's; their ids remain the order."""
    await transaction.execute(_FROM_ANOTHER_DATABASE)


def _place(row: RowMapping | None) -> EventPlace:
    return START if row is None else EventPlace(row["transaction_id"], row["id"])


def _event(row: RowMapping) -> StoredEvent:
    return StoredEvent(
        id=row["id"],
        type=EventType(row["type"]),
        subject_id=row["subject_id"],
        body=bytes(row["body"]),
        created_at=row["created_at"],
        place=_place(row),
    )
