"""The SQL about what is not finished: how much of it there is, whose, since when, and what nobody works at.

The trap: a count that grows with the heap it counts, in a request that everybody sends; each stops at a number."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection

from sqlalchemy import bindparam, func, select, text

from pcs.base.database import Prepared, Transaction
from pcs.base.owned import owned_sql
from pcs.base.queue import is_queued
from pcs.base.tenancy import Environment, Tenant
from pcs.classifications.model import OPEN, Status
from pcs.classifications.store import classifications

_RECENT = 50  # completed classifications of an environment that the estimate looks at
_LOOKED_AT = 1_000  # latest ones of both that it finds them among
_COUNTED = 10_000  # waiting classifications beyond which the estimate stops counting

# written into the statements, as a plan for parameters could not know that the index of these states serves
_IS_OPEN = classifications.c.status.in_(bindparam("open", OPEN, expanding=True, literal_execute=True))
_IS_COMPLETED = classifications.c.status == bindparam("completed", Status.COMPLETED, literal_execute=True)
_UNFINISHED = select(classifications.c.id).where(_IS_OPEN)
_UNFINISHED_AMONG = Prepared(
    text(f"""
        SELECT id FROM classifications
         WHERE {owned_sql()} AND id = ANY(:ids) AND status NOT IN ('completed', 'failed')
        UNION ALL
        SELECT id FROM batches WHERE {owned_sql()} AND id = ANY(:ids) AND unfinished > 0
        UNION ALL
        SELECT u.id FROM uploads u
          LEFT JOIN upload_parts p ON p.upload_id = u.id
          LEFT JOIN batches b ON b.id = p.batch_id
         WHERE {owned_sql("u")} AND u.id = ANY(:ids) AND u.submitted_at IS NOT NULL
         GROUP BY u.id
        HAVING coalesce(sum(b.unfinished), 0) > 0
            OR u.stopped IS NULL AND coalesce(sum(b.total), 0) < u.good * cardinality(u.schedules)
    """)  # noqa: S608 (our own constants)
)
_LATEST = (
    select(classifications.c.processing_time_ms, classifications.c.environment)
    .where(_IS_COMPLETED)
    .order_by(classifications.c.completed_at.desc())
    .limit(_LOOKED_AT)
    .subquery()
)
_THEIRS = (
    select(_LATEST.c.processing_time_ms)
    .where(_LATEST.c.environment == bindparam("environment", None))
    .limit(_RECENT)
    .subquery()
)
_WAITING = _UNFINISHED.where(classifications.c.environment == bindparam("environment", None)).limit(_COUNTED)
_PACE = Prepared(
    select(
        select(func.percentile_cont(0.5).within_group(_THEIRS.c.processing_time_ms)).scalar_subquery().label("median"),
        select(func.count()).select_from(_WAITING.subquery()).scalar_subquery().label("waiting"),
    )
)


async def unfinished_among(transaction: Transaction, tenant: Tenant, ids: Collection[str]) -> set[str]:
    """Those of a tenant's classifications, batches and uploads that are in no final state yet."""
    rows = await _UNFINISHED_AMONG.rows(transaction, **tenant.columns, ids=list(ids))
    return {row["id"] for row in rows}


async def pace(transaction: Transaction, environment: Environment) -> tuple[float | None, int]:
    """The median of an environment's latest analyses in ms, None before the first; how many wait, to ten thousand."""
    row = await _PACE.row(transaction, environment=environment)
    assert row is not None
    return row["median"], row["waiting"]


async def open_by_state(transaction: Transaction) -> list[tuple[str, str, int, dt.datetime]]:
    """Environment, state, how many of all tenants are in it, and since when the oldest was accepted."""
    table = classifications.c
    query = select(table.environment, table.status, func.count(), func.min(table.created_at))
    grouped = query.where(_IS_OPEN).group_by(table.environment, table.status)
    return [(row[0], row[1], row[2], row[3]) for row in await transaction.execute(grouped)]


async def orphans(transaction: Transaction, *, before: dt.datetime) -> list[tuple[str, Environment]]:
    """Unfinished classifications accepted earlier that no job carries any more, and where they belong."""
    query = (
        select(classifications.c.id, classifications.c.environment)
        .where(
            _IS_OPEN,
            classifications.c.created_at < before,
            ~is_queued(classifications.c.job_id),
        )
        .limit(100)
        .with_for_update(skip_locked=True)
    )
    return [(row.id, Environment(row.environment)) for row in await transaction.execute(query)]
