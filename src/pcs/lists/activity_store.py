"""The SQL of charts. The trap: a chart that reads all of a year to show its days; each day is counted by an index."""

from __future__ import annotations

import datetime as dt
from typing import Any

from sqlalchemy import text

from pcs.base.database import Transaction
from pcs.base.owned import owned_sql
from pcs.base.tenancy import Tenant
from pcs.tariff.revision import ScheduleName

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


async def days(
    transaction: Transaction, tenant: Tenant, *, since: dt.datetime, until: dt.datetime
) -> list[tuple[dt.date, ScheduleName, int, int, int]]:
    """Day, schedule, and how many were accepted on it and are completed and failed; `since` begins the first day."""
    rows = await transaction.execute(_DAYS, {**tenant.columns, "since": since, "until": until})
    return [(row.date, ScheduleName(row.schedule), row.accepted, row.completed, row.failed) for row in rows]


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


async def pulse(transaction: Transaction, tenant: Tenant, *, since: dt.datetime) -> dict[str, Any]:
    """Counts and processing times since a moment."""
    return dict((await transaction.execute(_PULSE, {**tenant.columns, "since": since})).mappings().one())


async def waiting(transaction: Transaction, tenant: Tenant) -> int:
    """How many are not final; counts no further than ten thousand."""
    counted: int = (await transaction.execute(_WAITING, tenant.columns)).scalar_one()
    return counted
