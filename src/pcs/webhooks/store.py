"""All SQL of endpoints, events and deliveries. The trap: a frozen worker that wakes up and records an old attempt over
a new one; each transition carries the claim's number."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Integer,
    LargeBinary,
    Table,
    Text,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert as upsert

from pcs.base.database import MOMENT, Transaction, metadata
from pcs.base.owned import owned
from pcs.base.tenancy import Environment, Tenant
from pcs.webhooks.model import Attempt, ClaimedDelivery, DeliveryStatus, Endpoint, EventType, Receiver

webhook_endpoints = Table(
    "webhook_endpoints",
    metadata,
    Column("organization_id", ForeignKey("organizations.id"), primary_key=True),
    Column("environment", Text, primary_key=True),
    Column("url", Text, nullable=False),
    Column("secret", LargeBinary),
    Column("previous_secret", LargeBinary),
    Column("previous_until", MOMENT),
    Column("event_types", ARRAY(Text), nullable=False),
    Column("enabled", Boolean, nullable=False),
    Column("created_at", MOMENT, nullable=False),
    Column("updated_at", MOMENT, nullable=False),
)
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


async def get_endpoint(transaction: Transaction, tenant: Tenant, *, hold: bool = False) -> Endpoint | None:
    """A tenant's endpoint; with `hold` nobody changes it before the transaction ends."""
    query = select(webhook_endpoints).where(owned(webhook_endpoints, tenant))
    row = (await transaction.execute(query.with_for_update() if hold else query)).mappings().one_or_none()
    if row is None:
        return None
    values = dict(row)
    del values["organization_id"], values["environment"]
    event_types = tuple(map(EventType, values.pop("event_types")))
    return Endpoint(tenant=tenant, event_types=event_types, **values)


async def put_endpoint(transaction: Transaction, endpoint: Endpoint) -> None:
    """Store a tenant's endpoint over any earlier one."""
    values: dict[str, Any] = {
        "url": endpoint.url,
        "secret": endpoint.secret,
        "previous_secret": endpoint.previous_secret,
        "previous_until": endpoint.previous_until,
        "event_types": list(endpoint.event_types),
        "enabled": endpoint.enabled,
        "created_at": endpoint.created_at,
        "updated_at": endpoint.updated_at,
    }
    whose = endpoint.tenant.columns
    query = upsert(webhook_endpoints).values(**whose, **values)
    await transaction.execute(query.on_conflict_do_update(index_elements=list(whose), set_=values))


async def delete_endpoint(transaction: Transaction, tenant: Tenant) -> bool:
    """Remove a tenant's endpoint; False where there is none."""
    return (await transaction.execute(delete(webhook_endpoints).where(owned(webhook_endpoints, tenant)))).rowcount == 1


async def add_event(transaction: Transaction, *, event_id: str, tenant: Tenant, values: dict[str, Any]) -> None:
    """Store what happened. The database refuses the same thing twice."""
    await transaction.execute(insert(events).values(id=event_id, **tenant.columns, **values))


async def add_deliveries(
    transaction: Transaction, *, event_id: str, tenant: Tenant, receivers: Sequence[Receiver], now: dt.datetime
) -> None:
    """Store one pending delivery for each receiver."""
    common = {"event_id": event_id, **tenant.columns, "status": DeliveryStatus.PENDING, "created_at": now}
    rows = [
        {"id": one.delivery_id, "url": one.url, "for_endpoint": one.for_endpoint, "next_attempt_at": now, **common}
        for one in receivers
    ]
    await transaction.execute(insert(deliveries), rows)


async def set_jobs(transaction: Transaction, jobs: Sequence[tuple[str, int]]) -> None:
    """Remember which job carries which delivery."""
    for delivery_id, job_id in jobs:
        await transaction.execute(update(deliveries).where(deliveries.c.id == delivery_id).values(job_id=job_id))


async def claim(transaction: Transaction, delivery_id: str, *, due: dt.datetime) -> ClaimedDelivery | None:
    """Take an unfinished delivery over from whoever had it; None where it is finished, unknown, or not yet due."""
    query = (
        update(deliveries)
        .where(
            deliveries.c.id == delivery_id,
            deliveries.c.status.in_((DeliveryStatus.PENDING, DeliveryStatus.SENDING)),
            deliveries.c.next_attempt_at <= due,
            events.c.id == deliveries.c.event_id,
        )
        .values(status=DeliveryStatus.SENDING, claim=deliveries.c.claim + 1)
        .returning(deliveries, events.c.type, events.c.body)
    )
    row = (await transaction.execute(query)).mappings().one_or_none()
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
        for_endpoint=row["for_endpoint"],
    )


async def count_attempts(transaction: Transaction, delivery_id: str) -> int:
    """How many sends of a delivery were recorded."""
    query = select(func.count()).select_from(delivery_attempts).where(delivery_attempts.c.delivery_id == delivery_id)
    counted: int = (await transaction.execute(query)).scalar_one()
    return counted


async def record(transaction: Transaction, claimed: ClaimedDelivery, attempt: Attempt, values: dict[str, Any]) -> bool:
    """Store an attempt and what becomes of its delivery; False, and nothing, where somebody claimed it meanwhile."""
    query = update(deliveries).where(
        deliveries.c.id == claimed.id,
        deliveries.c.status == DeliveryStatus.SENDING,
        deliveries.c.claim == claimed.claim,
    )
    if (await transaction.execute(query.values(**values))).rowcount == 0:
        return False
    await transaction.execute(
        insert(delivery_attempts).values(
            delivery_id=claimed.id,
            claim=claimed.claim,
            started_at=attempt.started_at,
            duration_ms=attempt.duration_ms,
            response_status=attempt.response_status,
            response_body=attempt.response_body,
            error=attempt.error,
        ),
    )
    return True
