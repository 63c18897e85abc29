"""The SQL of deliveries looked back on. The trap: an attempt shown to another tenant; attempts are read only after
their delivery was found for the tenant."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import RowMapping, text

from pcs.base.database import Transaction
from pcs.base.owned import owned_sql
from pcs.base.paging import Page, Slice, page
from pcs.base.tenancy import Tenant
from pcs.webhooks.endpoint_store import EVERY_ENDPOINT
from pcs.webhooks.model import DEFAULT, Attempt, Delivery, DeliveryFilters, DeliveryStatus, EventType

WHOSE = f"CASE WHEN d.for_endpoint THEN '{DEFAULT}' ELSE d.endpoint_id END"
"""The endpoint that a delivery `d` is for, null where a request named the URL."""

STATUS = "CASE WHEN d.skipped AND d.status = 'failed' THEN 'skipped' ELSE d.status END"
"""How a delivery `d` stands, as `DeliveryStatus` has it."""

_SELECT = f"""
    SELECT d.id, {WHOSE} AS endpoint_id, e.id AS event_id, e.type, e.subject_id,
           d.url, {STATUS} AS status, d.claim, d.failures, d.created_at, d.next_attempt_at, d.finished_at,
           {{body}} AS body, last.response_status AS last_status, last.error AS last_error,
           c.product_name, c.product_identifier
      FROM deliveries d JOIN events e ON e.id = d.event_id
      LEFT JOIN classifications c ON c.id = e.subject_id AND c.organization_id = e.organization_id
      LEFT JOIN LATERAL (SELECT response_status, error FROM delivery_attempts a
                          WHERE a.delivery_id = d.id ORDER BY a.claim DESC LIMIT 1) last ON true
     WHERE {owned_sql("d")}
"""  # noqa: S608 (our own constants)
_ONE = text(_SELECT.format(body="e.body") + " AND d.id = :id")
_CONDITIONS = {
    "status": f" AND {STATUS} = :status",
    "event_type": " AND e.type = :event_type",
    "endpoint_id": f" AND {WHOSE} = :endpoint_id",
    "after": " AND d.id < :after",
}
_ATTEMPTS = text("""
    SELECT started_at, duration_ms, response_status, response_body, error FROM delivery_attempts
     WHERE delivery_id = :id ORDER BY claim
""")
_COUNT_FAILED = text(f"""
    SELECT count(*) FROM (SELECT 1 FROM deliveries
     WHERE {owned_sql()} AND status = 'failed' AND NOT skipped
       AND finished_at >= :since LIMIT 1000) failed
""")  # noqa: S608 (our own constants)
REOPENED = f"""
    UPDATE deliveries d SET status = 'pending', skipped = false, failures = 0,
           finished_at = NULL, next_attempt_at = :now, url = coalesce((
               SELECT e.url FROM {EVERY_ENDPOINT} e
                WHERE e.id = {WHOSE} AND e.organization_id = d.organization_id AND e.environment = d.environment
                  AND NOT EXISTS (SELECT 1 FROM deliveries o WHERE o.event_id = d.event_id AND o.url = e.url)), d.url)
     WHERE {owned_sql("d")}
"""  # noqa: S608 (our own constants)
"""Makes a tenant's deliveries pending again, each to where its endpoint is now; a condition follows. A limited choice
of them has to be an array: what stands in `IN (SELECT ... LIMIT ...)` may be asked for again for each row."""

_REOPEN = text(REOPENED + " AND d.id = :id AND d.status IN ('delivered', 'failed')")
_GIVEN_UP = f"""
       AND d.id = ANY(ARRAY(SELECT id FROM deliveries
                     WHERE {owned_sql()} AND status = 'failed' AND NOT skipped
                       AND finished_at >= :since AND finished_at < :until
                     ORDER BY id LIMIT :limit FOR UPDATE SKIP LOCKED))
    RETURNING d.id
"""  # noqa: S608 (our own constants)
_REOPEN_FAILED = text(REOPENED + _GIVEN_UP)


async def deliveries(
    transaction: Transaction, tenant: Tenant, filters: DeliveryFilters, wanted: Slice
) -> Page[Delivery]:
    """A tenant's deliveries, newest first, without their bodies."""
    asked = {
        "status": filters.status,
        "event_type": filters.event_type,
        "endpoint_id": filters.endpoint_id,
        "after": wanted.after,
    }
    given = {name: value for name, value in asked.items() if value is not None}
    query = _SELECT.format(body="''::bytea") + "".join(_CONDITIONS[name] for name in given)
    arguments = {**tenant.columns, **given, "limit": wanted.limit + 1}
    rows = (await transaction.execute(text(f"{query} ORDER BY d.id DESC LIMIT :limit"), arguments)).mappings()
    return page([_delivery(row) for row in rows], wanted, lambda one: one.id)


async def delivery(transaction: Transaction, tenant: Tenant, delivery_id: str) -> Delivery | None:
    """A tenant's delivery."""
    row = (await transaction.execute(_ONE, {**tenant.columns, "id": delivery_id})).mappings().one_or_none()
    return None if row is None else _delivery(row)


async def attempts(transaction: Transaction, delivery_id: str) -> list[Attempt]:
    """Every attempt of a delivery, oldest first."""
    rows = (await transaction.execute(_ATTEMPTS, {"id": delivery_id})).mappings()
    return [Attempt(**row) for row in rows]


async def count_failed(transaction: Transaction, tenant: Tenant, *, since: dt.datetime) -> int:
    """How many deliveries were given up."""
    counted: int = (await transaction.execute(_COUNT_FAILED, {**tenant.columns, "since": since})).scalar_one()
    return counted


async def reopen(transaction: Transaction, tenant: Tenant, delivery_id: str, *, now: dt.datetime) -> bool:
    """Make a finished delivery pending again; False where it is not finished."""
    changed = await transaction.execute(_REOPEN, {**tenant.columns, "id": delivery_id, "now": now})
    return changed.rowcount == 1


async def reopen_failed(
    transaction: Transaction, tenant: Tenant, *, since: dt.datetime, until: dt.datetime, now: dt.datetime, limit: int
) -> list[str]:
    """Make deliveries that were given up in a span of time pending again, the oldest first; which ones."""
    arguments = {**tenant.columns, "since": since, "until": until, "now": now, "limit": limit}
    return sorted((await transaction.execute(_REOPEN_FAILED, arguments)).scalars())


def _delivery(row: RowMapping) -> Delivery:
    return Delivery(
        id=row["id"],
        event_id=row["event_id"],
        subject_id=row["subject_id"],
        event_type=EventType(row["type"]),
        url=row["url"],
        status=DeliveryStatus(row["status"]),
        attempts=row["claim"],
        failures=row["failures"],
        created_at=row["created_at"],
        next_attempt_at=row["next_attempt_at"],
        finished_at=row["finished_at"],
        last_status=row["last_status"],
        last_error=row["last_error"],
        endpoint_id=row["endpoint_id"],
        product_name=row["product_name"],
        product_identifier=row["product_identifier"],
        body=bytes(row["body"]),
    )
