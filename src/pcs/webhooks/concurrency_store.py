"""The SQL of concurrency: the sends of one endpoint, or of requests' own URLs, to one host and port, five at once.

The trap: two workers that both count four and both send; who begins or ends a send holds the receiver to the end."""

from __future__ import annotations

from typing import Any

from sqlalchemy import text

from pcs.base.database import Transaction
from pcs.base.owned import owned_sql
from pcs.base.tenancy import Tenant

_RECEIVER = "lower(substring({}.url from '^[^:]+://[^/?#]+'))"  # the expression of migration 0004's indexes
_WHOSE = "coalesce({}.endpoint_id, '')"  # the default endpoint shares one with the requests' own URLs
# the one notion of a receiver: the condition that deliveries called `mine` and `other` have the same
SAME_RECEIVER = f"""other.organization_id = mine.organization_id AND other.environment = mine.environment
       AND {_WHOSE.format("other")} = {_WHOSE.format("mine")}
       AND {_RECEIVER.format("other")} = {_RECEIVER.format("mine")}"""

_LOCK = text(f"""
    SELECT pg_advisory_xact_lock(hashtextextended(
               'lane ' || organization_id || ' ' || environment || ' ' || {_RECEIVER.format("mine")}
               || coalesce(' ' || endpoint_id, ''), 0))
      FROM deliveries mine WHERE id = :id
""")  # noqa: S608 (constants only)
_OTHERS = text(f"""
    SELECT count(*) FROM (
        SELECT 1 FROM deliveries mine JOIN deliveries other ON {SAME_RECEIVER}
         WHERE mine.id = :id AND other.id <> mine.id AND other.status = 'sending' LIMIT :most) busy
""")  # noqa: S608 (constants only)
_PARK = text("UPDATE deliveries SET job_id = NULL WHERE id = :id AND status = 'pending'")
_NEXT = text(f"""
    SELECT other.id FROM deliveries mine JOIN deliveries other ON {SAME_RECEIVER}
     WHERE mine.id = :id AND other.status = 'pending' AND other.job_id IS NULL
     ORDER BY other.id LIMIT 1 FOR UPDATE OF other SKIP LOCKED
""")  # noqa: S608 (constants only)
_WAITING = text(f"""
    SELECT count(*) FROM (
        SELECT 1 FROM deliveries WHERE {owned_sql()}
           AND status IN ('pending', 'sending') LIMIT 1000) waiting
""")  # noqa: S608 (our own constants)


async def lock(transaction: Transaction, delivery_id: str) -> None:
    """Hold a delivery's receiver until the transaction ends."""
    await transaction.execute(_LOCK, {"id": delivery_id})


async def is_full(transaction: Transaction, delivery_id: str, *, most: int) -> bool:
    """Whether `most` other deliveries to the receiver are on their way."""
    busy: int = (await transaction.execute(_OTHERS, {"id": delivery_id, "most": most})).scalar_one()
    return busy >= most


async def park(transaction: Transaction, delivery_id: str) -> bool:
    """Let a pending delivery wait for its receiver, carried by no job; False where it is not pending."""
    return (await transaction.execute(_PARK, {"id": delivery_id})).rowcount == 1


async def next_parked(transaction: Transaction, delivery_id: str) -> str | None:
    """The delivery that has waited longest for this one's receiver."""
    found: str | None = (await transaction.execute(_NEXT, {"id": delivery_id})).scalar_one_or_none()
    return found


async def count_waiting(transaction: Transaction, tenant: Tenant) -> int:
    """How many deliveries of a tenant are not finished; counts no further than a thousand."""
    whose: dict[str, Any] = tenant.columns
    counted: int = (await transaction.execute(_WAITING, whose)).scalar_one()
    return counted
