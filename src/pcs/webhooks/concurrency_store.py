"""The SQL of concurrency: the sends of one endpoint, or of requests' own URLs, to one host and port, five at once.

The trap: two workers that both count four and both send; who begins or ends a send holds the receiver to the end."""

from __future__ import annotations

from sqlalchemy import text

from pcs.base.database import Prepared, Transaction
from pcs.base.owned import owned_sql
from pcs.base.tenancy import Tenant

_RECEIVER = "lower(substring({}.url from '^[^:]+://[^/?#]+'))"  # the expression of migration 0004's indexes
_WHOSE = "coalesce({}.endpoint_id, '')"  # the default endpoint shares one with the requests' own URLs
# the one notion of a receiver: the condition that deliveries called `mine` and `other` have the same
SAME_RECEIVER = f"""other.organization_id = mine.organization_id AND other.environment = mine.environment
       AND {_WHOSE.format("other")} = {_WHOSE.format("mine")}
       AND {_RECEIVER.format("other")} = {_RECEIVER.format("mine")}"""

_LOCK = Prepared(
    text(f"""
    SELECT pg_advisory_xact_lock(hashtextextended(
               'lane ' || organization_id || ' ' || environment || ' ' || {_RECEIVER.format("mine")}
               || coalesce(' ' || endpoint_id, ''), 0))
      FROM deliveries mine WHERE id = :id
    """)  # noqa: S608 (our own constants)
)
_OTHERS = Prepared(
    text(f"""
    SELECT 1 AS busy FROM deliveries mine JOIN deliveries other ON {SAME_RECEIVER}
     WHERE mine.id = :id AND other.id <> mine.id AND other.status = 'sending' LIMIT :most
    """)  # noqa: S608 (our own constants)
)
_PARK = Prepared(text("UPDATE deliveries SET job_id = NULL WHERE id = :id AND status = 'pending'"))
_NEXT = Prepared(
    text(f"""
    SELECT other.id FROM deliveries mine JOIN deliveries other ON {SAME_RECEIVER}
     WHERE mine.id = :id AND other.status = 'pending' AND other.job_id IS NULL
     ORDER BY other.id LIMIT 1 FOR UPDATE OF other SKIP LOCKED
    """)  # noqa: S608 (our own constants)
)
_WAITING = Prepared(
    text(f"""
    SELECT count(*) AS number FROM (
        SELECT 1 FROM deliveries WHERE {owned_sql()}
           AND status IN ('pending', 'sending') LIMIT 1000) waiting
    """)  # noqa: S608 (our own constants)
)


async def lock(transaction: Transaction, delivery_id: str) -> None:
    """Hold a delivery's receiver until the transaction ends."""
    await _LOCK.post(transaction, id=delivery_id)


async def is_full(transaction: Transaction, delivery_id: str, *, most: int) -> bool:
    """Whether `most` other deliveries to the receiver are on their way."""
    return len(await _OTHERS.rows(transaction, id=delivery_id, most=most)) >= most


async def park(transaction: Transaction, delivery_id: str) -> bool:
    """Let a pending delivery wait for its receiver, carried by no job; False where it is not pending."""
    return await _PARK.run(transaction, id=delivery_id) == 1


async def next_parked(transaction: Transaction, delivery_id: str) -> str | None:
    """The delivery that has waited longest for this one's receiver."""
    row = await _NEXT.row(transaction, id=delivery_id)
    return None if row is None else row["id"]


async def count_waiting(transaction: Transaction, tenant: Tenant) -> int:
    """How many deliveries of a tenant are not finished; counts no further than a thousand."""
    row = await _WAITING.row(transaction, **tenant.columns)
    assert row is not None
    counted: int = row["number"]
    return counted
