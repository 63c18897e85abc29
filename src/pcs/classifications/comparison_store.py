"""All SQL of comparisons. The trap: two workers that notice one promotion; whoever writes holds a lock until it
commits."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Column, ForeignKey, Table, Text, func, insert, select, text, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.dialects.postgresql import insert as upsert

from pcs.base.database import MOMENT, Transaction, metadata
from pcs.base.owned import owned
from pcs.base.tenancy import Environment, Tenant
from pcs.classifications.outdated_store import OutdatedCodes, counted_by_code
from pcs.tariff.changes import ASKING, ChangeKind
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

comparisons = Table(
    "schedule_comparisons",
    metadata,
    Column("id", Text, primary_key=True),
    Column("schedule", Text, nullable=False),
    Column("before", Text),
    Column("after", Text, nullable=False),
    Column("noticed_at", MOMENT, nullable=False),
    Column("finished_at", MOMENT),
)
answers = Table(
    "outdated_answers",
    metadata,
    Column("organization_id", ForeignKey("organizations.id"), primary_key=True),
    Column("environment", Text, primary_key=True),
    Column("comparison_id", ForeignKey("schedule_comparisons.id"), primary_key=True),
    Column("counts", JSONB, nullable=False),
    Column("created_at", MOMENT, nullable=False),
    Column("settled_at", MOMENT),
)


@dataclass(frozen=True, slots=True)
class RevisionComparison:
    """A revision that came to answer, and the one that answered before it (None where none was seen), by their keys."""

    id: str
    schedule: ScheduleName
    before: str | None
    after: str


@dataclass(frozen=True, slots=True)
class OutdatedAnswers:
    """How many of a tenant's answers a comparison found, by what happened to their codes."""

    schedule: ScheduleName
    before: str
    after: str
    counts: Mapping[ChangeKind, int]

    @property
    def outdated(self) -> int:
        """Those whose code went or has other words."""
        return sum(self.counts.get(kind, 0) for kind in ASKING)


async def one_at_a_time(transaction: Transaction) -> None:
    """Wait until nobody else notices a promotion."""
    await transaction.execute(text("SELECT pg_advisory_xact_lock(hashtext('schedule_comparisons'))"))


async def last_seen(transaction: Transaction, name: ScheduleName) -> str | None:
    """The key of the revision of a schedule that was seen last."""
    query = select(comparisons.c.after).where(comparisons.c.schedule == name).order_by(comparisons.c.id.desc()).limit(1)
    return (await transaction.execute(query)).scalar_one_or_none()


async def add(transaction: Transaction, comparison: RevisionComparison, *, now: dt.datetime) -> None:
    """Store a comparison to be made."""
    values = {"schedule": comparison.schedule, "before": comparison.before, "after": comparison.after}
    await transaction.execute(insert(comparisons).values(id=comparison.id, noticed_at=now, **values))


async def unfinished(transaction: Transaction, comparison_id: str) -> RevisionComparison | None:
    """A comparison that was not finished."""
    query = select(comparisons).where(comparisons.c.id == comparison_id, comparisons.c.finished_at.is_(None))
    row = (await transaction.execute(query)).mappings().one_or_none()
    if row is None:
        return None
    return RevisionComparison(row["id"], ScheduleName(row["schedule"]), row["before"], row["after"])


async def finish(transaction: Transaction, comparison_id: str, *, now: dt.datetime) -> None:
    """It was made."""
    await transaction.execute(update(comparisons).where(comparisons.c.id == comparison_id).values(finished_at=now))


async def count_by_code(transaction: Transaction, question: OutdatedCodes) -> list[tuple[Tenant, Code, int]]:
    """How many completed answers of each tenant rest on each of the codes."""
    rows = (await transaction.execute(text(counted_by_code()), question.arguments)).mappings()
    return [
        (Tenant(row["organization_id"], Environment(row["environment"])), Code(row["code"]), row["number"])
        for row in rows
    ]


async def add_answers(
    transaction: Transaction,
    comparison: RevisionComparison,
    tenant: Tenant,
    counts: Mapping[ChangeKind, int],
    *,
    now: dt.datetime,
) -> bool:
    """Store what a comparison found of a tenant; False where that was stored before."""
    found = {kind.value: number for kind, number in counts.items()}
    new = upsert(answers).values(comparison_id=comparison.id, counts=found, created_at=now, **tenant.columns)
    stored = await transaction.execute(new.on_conflict_do_nothing().returning(answers.c.comparison_id))
    return stored.first() is not None


async def open_answers(transaction: Transaction, tenant: Tenant) -> list[OutdatedAnswers]:
    """What the latest comparison of each schedule found of a tenant, where nobody has settled it."""
    latest = select(func.max(comparisons.c.id)).group_by(comparisons.c.schedule)
    query = (
        select(comparisons.c.schedule, comparisons.c.before, comparisons.c.after, answers.c.counts)
        .join_from(answers, comparisons)
        .where(owned(answers, tenant), answers.c.settled_at.is_(None), comparisons.c.id.in_(latest))
    )
    rows = (await transaction.execute(query)).mappings()
    return [
        OutdatedAnswers(
            ScheduleName(row["schedule"]),
            row["before"],
            row["after"],
            {ChangeKind(kind): number for kind, number in row["counts"].items()},
        )
        for row in rows
    ]


async def settle(transaction: Transaction, tenant: Tenant, name: ScheduleName, *, now: dt.datetime) -> None:
    """Mark what was found of a tenant under a schedule as dealt with."""
    of_schedule = select(comparisons.c.id).where(comparisons.c.schedule == name)
    mine = owned(answers, tenant), answers.c.comparison_id.in_(of_schedule), answers.c.settled_at.is_(None)
    await transaction.execute(update(answers).where(*mine).values(settled_at=now))
