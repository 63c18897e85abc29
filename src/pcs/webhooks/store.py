"""The SQL of events and deliveries. The trap: a frozen worker that wakes up and records an old attempt over
a new one; each transition carries the claim's number."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Integer,
    LargeBinary,
    Table,
    Text,
    bindparam,
    func,
    select,
    text,
    update,
)

from pcs.base.database import MOMENT, Insertion, Prepared, Transaction, metadata
from pcs.base.tenancy import Environment, Tenant
from pcs.webhooks.model import DEFAULT, Attempt, ClaimedDelivery, DeliveryStatus, EventType

events = Table(
    "events",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("environment", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("subject_id", Text, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("created_at", MOMENT, nullable=False),
    Column("transaction_id", BigInteger, nullable=False, server_default="0"),  # set by the database: feed_store.py
)
deliveries = Table(
    "deliveries",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("environment", Text, nullable=False),
    Column("event_id", ForeignKey("events.id"), nullable=False),
    Column("url", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("claim", Integer, nullable=False, server_default="0"),
    Column("failures", Integer, nullable=False, server_default="0"),
    Column("job_id", BigInteger),
    Column("next_attempt_at", MOMENT),
    Column("created_at", MOMENT, nullable=False),
    Column("finished_at", MOMENT),
    Column("for_endpoint", Boolean, nullable=False, server_default="false"),
    Column("endpoint_id", Text),
    Column("known_claim", Integer),
    Column("skipped", Boolean, nullable=False, server_default="false"),
)
delivery_attempts = Table(
    "delivery_attempts",
    metadata,
    Column("delivery_id", ForeignKey("deliveries.id"), primary_key=True),
    Column("claim", Integer, primary_key=True),
    Column("started_at", MOMENT, nullable=False),
    Column("duration_ms", Integer, nullable=False),
    Column("response_status", Integer),
    Column("response_body", Text),
    Column("error", Text),
)


_SET_JOBS = Prepared(
    text("""
    UPDATE deliveries d SET job_id = carried.job
      FROM unnest(CAST(:ids AS text[]), CAST(:jobs AS bigint[])) AS carried (id, job) WHERE d.id = carried.id
    """)
)
_CLAIM = Prepared(
    update(deliveries)
    .where(
        deliveries.c.id == bindparam("which", None),
        deliveries.c.status.in_((DeliveryStatus.PENDING, DeliveryStatus.SENDING)),
        deliveries.c.next_attempt_at <= bindparam("due", None, type_=MOMENT),
        events.c.id == deliveries.c.event_id,
    )
    .values(status=DeliveryStatus.SENDING, claim=deliveries.c.claim + 1, known_claim=deliveries.c.claim + 1)
    .returning(deliveries, events.c.type, events.c.body)
)
_RECORD = Prepared(
    text("""
    UPDATE deliveries SET status = :status, failures = :failures, skipped = coalesce(:skipped, skipped),
           next_attempt_at = CAST(:next_attempt_at AS timestamptz), finished_at = CAST(:finished_at AS timestamptz)
     WHERE id = :id AND status = 'sending' AND claim = :claim
    """)
)
_ADD_ATTEMPT = Insertion(delivery_attempts)
_ATTEMPT = ("started_at", "duration_ms", "response_status", "response_body", "error")


async def set_jobs(transaction: Transaction, jobs: Sequence[tuple[str, int]]) -> None:
    """Remember which job carries which delivery."""
    ids, numbers = [delivery_id for delivery_id, _ in jobs], [job for _, job in jobs]
    await _SET_JOBS.post(transaction, ids=ids, jobs=numbers)


async def claim(transaction: Transaction, delivery_id: str, *, due: dt.datetime) -> ClaimedDelivery | None:
    """Take an unfinished delivery over from whoever had it; None where it is finished, unknown, or not yet due."""
    row = await _CLAIM.row(transaction, which=delivery_id, due=due)
    if row is None:
        return None
    return ClaimedDelivery(
        id=row["id"],
        tenant=Tenant(row["organization_id"], Environment(row["environment"])),
        event_id=row["event_id"],
        event_type=EventType(row["type"]),
        url=row["url"],
        body=row["body"],
        claim=row["claim"],
        failures=row["failures"],
        endpoint_id=DEFAULT if row["for_endpoint"] else row["endpoint_id"],
        job=row["job_id"],
    )


async def count_attempts(transaction: Transaction, delivery_id: str) -> int:
    """How many sends of a delivery were recorded."""
    query = select(func.count()).select_from(delivery_attempts).where(delivery_attempts.c.delivery_id == delivery_id)
    counted: int = (await transaction.execute(query)).scalar_one()
    return counted


async def record(transaction: Transaction, claimed: ClaimedDelivery, attempt: Attempt, values: dict[str, Any]) -> bool:
    """Store an attempt and what becomes of its delivery; False, and nothing, where somebody claimed it meanwhile."""
    unchanged = {"skipped": None, "finished_at": None}
    if not await _RECORD.run(transaction, id=claimed.id, claim=claimed.claim, **{**unchanged, **values}):
        return False
    tried = {name: getattr(attempt, name) for name in _ATTEMPT}
    await _ADD_ATTEMPT.post(transaction, [{"delivery_id": claimed.id, "claim": claimed.claim, **tried}])
    return True
