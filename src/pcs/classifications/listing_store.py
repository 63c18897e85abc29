"""The SQL of the dashboard's lists and charts. The trap: an ORDER BY that no index serves; each order here has one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from sqlalchemy import RowMapping, text

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.owned import owned_sql
from pcs.base.tenancy import Tenant
from pcs.classifications.listing import Attention, Day, Listed, Pulse, Sort, Wanted
from pcs.classifications.model import Status
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

_COLUMNS = """
    c.id, c.product_id, c.product_name, c.product_identifier, c.schedule, c.status, c.tariff_line AS code, c.confidence,
    coalesce((c.result ->> 'needs_review')::boolean, false) AS needs_review, r.decision, c.created_at, c.completed_at,
    coalesce(c.description, '') AS description, c.error_message
"""
_FROM = f"""
    FROM classifications c LEFT JOIN reviews r ON r.classification_id = c.id
     WHERE {owned_sql("c")}
"""
_ORDERS = {
    Sort.NEWEST: "ORDER BY c.organization_id DESC, c.environment DESC, c.id DESC",
    Sort.OLDEST: "ORDER BY c.organization_id, c.environment, c.id",
    Sort.DOUBTFUL: "ORDER BY c.organization_id, c.environment, c.confidence, c.id",
}
_NEAR_ROWS = 3_000  # a word in one product of a hundred fills a page of 25 from so many
_SEARCH = "c.terms @@ to_tsquery('simple', :words)"
_NEAR = f"""
    SELECT {_COLUMNS} FROM (SELECT c.* {_FROM} {{where}} {{order}} LIMIT :near) c
      LEFT JOIN reviews r ON r.classification_id = c.id WHERE {_SEARCH} {{order}} LIMIT :limit
"""  # noqa: S608 (our own constants)
_FAR = f"""
    WITH found AS MATERIALIZED (SELECT c.id {_FROM} {{where}} AND {_SEARCH})
    SELECT {_COLUMNS} FROM found JOIN classifications c ON c.id = found.id
      LEFT JOIN reviews r ON r.classification_id = c.id {{order}} LIMIT :limit
"""  # noqa: S608 (our own constants)
_AFTER = {Sort.NEWEST: "c.id < :after", Sort.OLDEST: "c.id > :after"}
_ATTENTION = {
    Attention.WANTED: "(c.result ->> 'needs_review') = 'true' AND r.classification_id IS NULL",
    Attention.REVIEWED: "r.classification_id IS NOT NULL",
}


async def lines(transaction: Transaction, tenant: Tenant, wanted: Wanted, *, words: Sequence[str]) -> list[Listed]:
    """The lines of a page and one more, which says that there is a next page.

    A search looks through the first few thousand in order, where a usual word is found soon; only what is rarer is
    looked up among the words, since sorting all finds of a usual word would take longer.
    """
    conditions, arguments = _conditions(wanted)
    arguments |= {**tenant.columns, "limit": wanted.limit + 1}
    where, order = "".join(f" AND {condition}" for condition in conditions), _ORDERS[wanted.sort]
    if not words:
        return await _listed_by(transaction, f"SELECT {_COLUMNS} {_FROM} {where} {order} LIMIT :limit", arguments)
    arguments["words"] = " & ".join(f"{word}:*" for word in words)
    near = _NEAR.format(where=where, order=order)
    found = await _listed_by(transaction, near, {**arguments, "near": _NEAR_ROWS})
    return (
        found
        if len(found) > wanted.limit
        else await _listed_by(transaction, _FAR.format(where=where, order=order), arguments)
    )


async def _listed_by(transaction: Transaction, query: str, arguments: dict[str, Any]) -> list[Listed]:
    return [_listed(row) for row in (await transaction.execute(text(query), arguments)).mappings()]


def _conditions(wanted: Wanted) -> tuple[list[str], dict[str, Any]]:
    conditions: list[str] = []
    arguments: dict[str, Any] = {}
    for name, value in (("status", wanted.status), ("schedule", wanted.schedule), ("product_id", wanted.product_id)):
        if value is not None:
            conditions.append(f"c.{name} = :{name}")
            arguments[name] = value
    if wanted.batch_ids is not None:
        conditions.append("c.batch_id = ANY(:batch_ids)")
        arguments["batch_ids"] = list(wanted.batch_ids)
    if wanted.attention is not None:
        conditions.append(_ATTENTION[wanted.attention])
    return [*conditions, *_cursor(wanted, arguments)], arguments


def _cursor(wanted: Wanted, arguments: dict[str, Any]) -> list[str]:
    if wanted.sort is Sort.DOUBTFUL:
        return ["c.confidence IS NOT NULL", *_doubtful_cursor(wanted.after, arguments)]
    if wanted.after is None:
        return []
    arguments["after"] = wanted.after
    return [_AFTER[wanted.sort]]


def _doubtful_cursor(after: str | None, arguments: dict[str, Any]) -> list[str]:
    confidence, _, last = (after or "").partition("~")
    try:
        place = float(confidence)
    except ValueError:
        return []
    if not 0 <= place <= 1 or not ids.is_id(ids.CLASSIFICATION, last):
        return []
    arguments |= {"confidence": place, "after": last}
    return ["(c.confidence, c.id) > (CAST(:confidence AS real), :after)"]


_DAYS = text(f"""
    WITH whole AS (
        SELECT date_trunc('day', min(created_at), 'UTC') AS first, max(created_at) AS last FROM classifications
         WHERE {owned_sql()})
    SELECT (day AT TIME ZONE 'UTC')::date AS date, ended.* FROM whole, generate_series(
        greatest(CAST(:since AS timestamptz), whole.first),
        least(CAST(:until AS timestamptz), coalesce(whole.last, '-infinity')),
        interval '1 day') AS day, LATERAL (
        SELECT schedule, count(*) AS accepted, count(*) FILTER (WHERE status = 'completed') AS completed,
               count(*) FILTER (WHERE status = 'failed') AS failed
          FROM classifications
         WHERE {owned_sql()}
           AND created_at >= day AND created_at < day + interval '1 day' GROUP BY schedule) ended
     ORDER BY 1, 2
""")  # noqa: S608 (our own constants)


async def days(transaction: Transaction, tenant: Tenant, *, since: dt.datetime, until: dt.datetime) -> list[Day]:
    """What was accepted on each day, a line a schedule; `since` is the beginning of the first day."""
    rows = (await transaction.execute(_DAYS, {**tenant.columns, "since": since, "until": until})).mappings()
    return [Day(**{**row, "schedule": ScheduleName(row["schedule"])}) for row in rows]


_PULSE = text(f"""
    SELECT count(*) FILTER (WHERE status = 'completed') AS completed,
           count(*) FILTER (WHERE status = 'failed') AS failed,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY processing_time_ms) AS median_ms,
           percentile_cont(0.95) WITHIN GROUP (ORDER BY processing_time_ms) AS slow_ms
      FROM classifications
     WHERE {owned_sql()} AND created_at >= :since
""")  # noqa: S608 (our own constants)
_WAITING = text(f"""
    SELECT count(*) FROM (SELECT 1 FROM classifications
     WHERE {owned_sql()}
       AND status IN ('pending', 'processing') LIMIT 10000) waiting
""")  # noqa: S608 (our own constants)
_FOR_REVIEW = text(f"""
    SELECT count(*) FROM (SELECT 1 FROM classifications c LEFT JOIN reviews r ON r.classification_id = c.id
     WHERE {owned_sql("c")}
       AND (c.result ->> 'needs_review') = 'true' AND r.classification_id IS NULL LIMIT 100) unseen
""")  # noqa: S608 (our own constants)
_PROGRESS = text(f"""
    SELECT status, count(*) AS number FROM classifications
     WHERE {owned_sql()} AND batch_id = ANY(:batch_ids)
     GROUP BY status
""")  # noqa: S608 (our own constants)
_OF_BATCHES = text(f"SELECT {_COLUMNS} {_FROM} AND c.batch_id = ANY(:batch_ids) ORDER BY c.id LIMIT :limit")


async def pulse(transaction: Transaction, tenant: Tenant, *, since: dt.datetime) -> Pulse:
    """Counts and processing times since a moment."""
    row = (await transaction.execute(_PULSE, {**tenant.columns, "since": since})).mappings().one()
    waiting: int = (await transaction.execute(_WAITING, tenant.columns)).scalar_one()
    return Pulse(waiting=waiting, **row)


async def waiting_for_review(transaction: Transaction, tenant: Tenant) -> int:
    """How many answers need review; counts no further than a hundred."""
    counted: int = (await transaction.execute(_FOR_REVIEW, tenant.columns)).scalar_one()
    return counted


async def progress(transaction: Transaction, tenant: Tenant, batch_ids: Sequence[str]) -> dict[Status, int]:
    """How many classifications of some batches are in each state."""
    rows = await transaction.execute(_PROGRESS, {**tenant.columns, "batch_ids": list(batch_ids)})
    return {Status(row.status): row.number for row in rows}


async def of_batches(
    transaction: Transaction, tenant: Tenant, batch_ids: Sequence[str], *, limit: int | None
) -> list[Listed]:
    """Classifications of some batches, oldest first."""
    arguments = {**tenant.columns, "batch_ids": list(batch_ids), "limit": limit}
    rows = await transaction.execute(_OF_BATCHES, arguments)
    return [_listed(row) for row in rows.mappings()]


def _listed(row: RowMapping) -> Listed:
    return Listed(
        id=row["id"],
        product_id=row["product_id"],
        product_name=row["product_name"],
        identifier=row["product_identifier"],
        schedule=ScheduleName(row["schedule"]),
        status=Status(row["status"]),
        code=Code(row["code"]) if row["code"] else None,
        confidence=row["confidence"],
        needs_review=row["needs_review"],
        decision=row["decision"],
        created_at=row["created_at"],
        completed_at=row["completed_at"],
        description=row["description"],
        error=row["error_message"],
    )
