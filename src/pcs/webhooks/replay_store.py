"""The SQL of replays. The trap: a portion that finds again what the one before it queued and what failed since then;
each begins behind the delivery with which the last one ended."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ARRAY, Column, ForeignKey, Integer, RowMapping, Table, Text, insert, select, text, update

from pcs.base.database import MOMENT, Transaction, metadata
from pcs.base.owned import owned, owned_sql
from pcs.base.tenancy import Environment, Tenant
from pcs.webhooks.history_store import REOPENED, STATUS, WHOSE
from pcs.webhooks.model import DeliveryStatus, Replay

webhook_replays = Table(
    "webhook_replays",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("environment", Text, nullable=False),
    Column("endpoint_id", Text, nullable=False),
    Column("statuses", ARRAY(Text), nullable=False),
    Column("since", MOMENT),
    Column("after", Text, nullable=False),
    Column("until", Text, nullable=False),
    Column("total", Integer, nullable=False),
    Column("queued", Integer, nullable=False),
    Column("created_at", MOMENT, nullable=False),
    Column("finished_at", MOMENT),
)
_COLUMNS = [column for column in webhook_replays.columns if column.name not in Tenant.COLUMNS]
_FITS = f"""{owned_sql("d")} AND {WHOSE} = :endpoint_id AND {STATUS} = ANY(:statuses)
        AND d.id > :after AND d.id < :until AND d.created_at >= coalesce(:since, '-infinity'::timestamptz)"""
_NARROWED = {True: " AND d.status = 'failed'", False: ""}  # by which an index finds what was not delivered
_COUNT = f"SELECT count(*) FROM deliveries d WHERE {_FITS}"  # noqa: S608 (our own constants)
_REOPEN = f"""{REOPENED}
   AND d.id = ANY(ARRAY(SELECT d.id FROM deliveries d WHERE {_FITS}{{narrowed}} ORDER BY d.id LIMIT :limit
                        FOR UPDATE SKIP LOCKED))
    RETURNING d.id
"""  # noqa: S608 (our own constants)
_OPEN = text(f"""
    SELECT count(*) FROM (SELECT 1 FROM deliveries d
     WHERE {owned_sql("d")} AND {WHOSE} = :endpoint_id AND d.status IN ('pending', 'sending') LIMIT :most) waiting
""")  # noqa: S608 (our own constants)
_UNDELIVERED = text(f"""
    SELECT {STATUS} AS status, count(*) AS deliveries FROM deliveries d
     WHERE {owned_sql("d")} AND {WHOSE} = :endpoint_id AND d.status = 'failed' GROUP BY 1
""")  # noqa: S608 (our own constants)


async def add(transaction: Transaction, replay: Replay) -> None:
    """Store a replay."""
    values = {column.name: getattr(replay, column.name) for column in _COLUMNS} | {"statuses": list(replay.statuses)}
    await transaction.execute(insert(webhook_replays).values(**replay.tenant.columns, **values))


async def latest(
    transaction: Transaction, tenant: Tenant, endpoint_id: str, replay_id: str | None = None
) -> Replay | None:
    """An endpoint's latest replay, or the one with this id."""
    table = webhook_replays
    query = select(table).where(owned(table, tenant), table.c.endpoint_id == endpoint_id)
    if replay_id is not None:
        query = query.where(table.c.id == replay_id)
    row = (await transaction.execute(query.order_by(table.c.id.desc()).limit(1))).mappings().one_or_none()
    return None if row is None else _replay(row)


async def next_under_way(transaction: Transaction, *, after: str) -> Replay | None:
    """The next replay that is not finished, nobody else's before the transaction ends."""
    table = webhook_replays
    query = select(table).where(table.c.finished_at.is_(None), table.c.id > after).order_by(table.c.id).limit(1)
    row = (await transaction.execute(query.with_for_update(skip_locked=True))).mappings().one_or_none()
    return None if row is None else _replay(row)


async def set_progress(transaction: Transaction, replay_id: str, **values: Any) -> None:  # noqa: ANN401
    """Store how far a replay is."""
    await transaction.execute(update(webhook_replays).where(webhook_replays.c.id == replay_id).values(**values))


async def count(transaction: Transaction, replay: Replay) -> int:
    """How many deliveries a replay has to send from here on."""
    counted: int = (await transaction.execute(text(_COUNT + _narrowed(replay)), _arguments(replay))).scalar_one()
    return counted


async def reopen(transaction: Transaction, replay: Replay, *, limit: int, **values: Any) -> list[str]:  # noqa: ANN401
    """Make the next deliveries of a replay pending again, the oldest first; which ones."""
    statement = text(_REOPEN.format(narrowed=_narrowed(replay)))
    return sorted((await transaction.execute(statement, {**_arguments(replay), "limit": limit, **values})).scalars())


async def count_open(transaction: Transaction, replay: Replay, *, most: int) -> int:
    """How many deliveries to the endpoint are waiting or under way; counts no further than `most`."""
    whose = {**replay.tenant.columns, "endpoint_id": replay.endpoint_id}
    counted: int = (await transaction.execute(_OPEN, {**whose, "most": most})).scalar_one()
    return counted


async def undelivered(transaction: Transaction, tenant: Tenant, endpoint_id: str) -> dict[DeliveryStatus, int]:
    """How many deliveries to an endpoint were given up, and how many skipped."""
    rows = await transaction.execute(_UNDELIVERED, {**tenant.columns, "endpoint_id": endpoint_id})
    return {DeliveryStatus(row.status): row.deliveries for row in rows}


def _narrowed(replay: Replay) -> str:
    return _NARROWED[DeliveryStatus.DELIVERED not in replay.statuses]


def _arguments(replay: Replay) -> dict[str, Any]:
    return {
        **replay.tenant.columns,
        "endpoint_id": replay.endpoint_id,
        "statuses": list(replay.statuses),
        "after": replay.after,
        "until": replay.until,
        "since": replay.since,
    }


def _replay(row: RowMapping) -> Replay:
    values = {column.name: row[column.name] for column in _COLUMNS}
    values["statuses"] = tuple(map(DeliveryStatus, values["statuses"]))
    return Replay(tenant=Tenant(row["organization_id"], Environment(row["environment"])), **values)
