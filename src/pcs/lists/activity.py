"""What charts show: a tenant's days, and how it is doing. The trap: counting in Python what the database counts."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from pcs.base.database import Transaction
from pcs.base.tenancy import Tenant
from pcs.lists import activity_store as store
from pcs.tariff.revision import ScheduleName


@dataclass(frozen=True, slots=True)
class Day:
    """One day (UTC) of a tenant: what was accepted on it and how that ended so far. Times are in milliseconds."""

    date: dt.date
    schedule: ScheduleName
    accepted: int
    completed: int
    failed: int


@dataclass(frozen=True, slots=True)
class Pulse:
    """How a tenant is doing over some time. `median_ms` and `slow_ms` (95 of 100 are faster) are the times of analyses,
    None where there was none."""

    waiting: int
    completed: int
    failed: int
    median_ms: float | None
    slow_ms: float | None


async def days(transaction: Transaction, tenant: Tenant, *, first: dt.date, last: dt.date) -> list[Day]:
    """What was accepted on each day (UTC), a line a schedule, oldest first; days without anything are left out."""
    since, until = (dt.datetime.combine(day, dt.time(), dt.UTC) for day in (first, last))
    return [Day(*row) for row in await store.days(transaction, tenant, since=since, until=until)]


async def pulse(transaction: Transaction, tenant: Tenant, *, since: dt.datetime) -> Pulse:
    """How a tenant is doing since a moment."""
    counted = await store.pulse(transaction, tenant, since=since)
    return Pulse(waiting=await store.waiting(transaction, tenant), **counted)
