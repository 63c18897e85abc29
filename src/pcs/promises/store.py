"""All SQL of promises. The trap: a threshold of an earlier promise that outlives it; whoever computes one holds the
promise meanwhile, and another promise takes them away."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Column, Double, ForeignKey, Integer, LargeBinary, SmallInteger, Table, Text, delete, select, text
from sqlalchemy.dialects.postgresql import insert as upsert

from pcs.base.database import MOMENT, Prepared, Transaction, metadata
from pcs.base.owned import owned, owned_sql
from pcs.base.tenancy import Tenant
from pcs.engine.result import REVIEW_BELOW
from pcs.evaluation.promise import Kept, Promise
from pcs.promises.model import (
    NEWEST,
    BrokenPromise,
    Evidence,
    PromiseTerms,
    ReviewTerms,
    ThresholdOfSchedule,
)
from pcs.reviews.model import Decision
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

promises = Table(
    "promises",
    metadata,
    Column("organization_id", ForeignKey("organizations.id"), primary_key=True),
    Column("environment", Text, primary_key=True),
    Column("share_right", Double, nullable=False),
    Column("digits", SmallInteger, nullable=False),
    Column("asked_share", Double, nullable=False),
    Column("set_at", MOMENT, nullable=False),
)
promise_thresholds = Table(
    "promise_thresholds",
    metadata,
    Column("organization_id", ForeignKey("organizations.id"), primary_key=True),
    Column("environment", Text, primary_key=True),
    Column("schedule", Text, primary_key=True),
    Column("threshold", Double),
    Column("share", Double, nullable=False),
    Column("reviewed", Integer, nullable=False),
    Column("missing", Integer),
    Column("evidence", LargeBinary, nullable=False),
    Column("computed_at", MOMENT, nullable=False),
    Column("broken_at", MOMENT),
    Column("broken_threshold", Double),
    Column("broken_reviewed", Integer),
    Column("broken_right", Integer),
)

_TERMS = Prepared(
    text(f"""
    SELECT o.review_below, p.digits, p.asked_share, t.threshold FROM organizations o
      LEFT JOIN promises p ON {owned_sql("p")}
      LEFT JOIN promise_thresholds t ON {owned_sql("t")} AND t.schedule = :schedule
     WHERE o.id = :organization_id
    """)  # noqa: S608 (our own constants)
)
_HOLD = Prepared(text(f"SELECT share_right, digits, asked_share FROM promises WHERE {owned_sql()} FOR UPDATE"))  # noqa: S608 (our own constants)
_EVIDENCE = Prepared(
    text(f"""
    SELECT c.tariff_line AS code, (c.result ->> 'confidence')::double precision AS confidence,
           jsonb_path_exists(c.result, '$.precedents[*] ? (@.applied == true)') AS has_near_decisions,
           c.result -> 'hierarchy' AS hierarchy, c.completed_at, r.decision, r.code AS corrected
      FROM classifications c JOIN reviews r ON r.classification_id = c.id
     WHERE {owned_sql("c")} AND c.schedule = :schedule AND c.asked_by_chance AND c.status = 'completed'
       AND r.stage = 'decided'
     ORDER BY c.id DESC LIMIT {NEWEST}
    """)  # noqa: S608 (our own constants)
)
_TO_REVIEW = text(f"""
    SELECT c.schedule, count(*) AS number FROM classifications c
     WHERE {owned_sql("c")} AND c.asked_by_chance AND c.superseded_by IS NULL
       AND NOT EXISTS (SELECT 1 FROM reviews r WHERE r.classification_id = c.id AND r.stage = 'decided')
     GROUP BY c.schedule
""")  # noqa: S608 (our own constants)


async def terms(transaction: Transaction, asked: Sequence[tuple[Tenant, ScheduleName]]) -> list[ReviewTerms]:
    """For each, by what its tenant's answers under the schedule wait for a person; one round trip, as analyses ask."""
    different = list(dict.fromkeys(asked))
    arguments = [{**tenant.columns, "schedule": schedule} for tenant, schedule in different]
    found = await _TERMS.each(transaction, arguments)
    known = {one: _review_terms(row) for one, [row] in zip(different, found, strict=True)}
    return [known[one] for one in asked]


def _review_terms(row: Mapping[str, Any]) -> ReviewTerms:
    below = REVIEW_BELOW if row["review_below"] is None else row["review_below"]
    return ReviewTerms(below, row["threshold"], row["digits"], row["asked_share"] or 0.0)


async def put(transaction: Transaction, tenant: Tenant, wanted: PromiseTerms, *, now: dt.datetime) -> None:
    """Store a tenant's promise in the place of an earlier one."""
    values = {
        "share_right": wanted.promise.right,
        "digits": wanted.promise.digits,
        "asked_share": wanted.asked_share,
        "set_at": now,
    }
    query = upsert(promises).values(**tenant.columns, **values)
    await transaction.execute(query.on_conflict_do_update(index_elements=[*tenant.columns], set_=values))


async def hold(transaction: Transaction, tenant: Tenant) -> PromiseTerms | None:
    """A tenant's promise, which nobody else changes or computes by until the transaction ends; None without one."""
    row = await _HOLD.row(transaction, **tenant.columns)
    return None if row is None else _terms(row)


async def get(transaction: Transaction, tenant: Tenant) -> PromiseTerms | None:
    """A tenant's promise; None without one."""
    row = (await transaction.execute(select(promises).where(owned(promises, tenant)))).mappings().one_or_none()
    return None if row is None else _terms(dict(row))


async def remove(transaction: Transaction, tenant: Tenant) -> None:
    """Forget a tenant's promise and what was computed by it."""
    await forget_thresholds(transaction, tenant)
    await transaction.execute(delete(promises).where(owned(promises, tenant)))


async def forget_thresholds(transaction: Transaction, tenant: Tenant) -> None:
    """Forget what was computed by another promise."""
    await transaction.execute(delete(promise_thresholds).where(owned(promise_thresholds, tenant)))


async def evidence(transaction: Transaction, tenant: Tenant, schedule: ScheduleName) -> list[Evidence]:
    """What people said of the newest answers that were drawn by chance, newest first."""
    return [_evidence(row) for row in await _EVIDENCE.rows(transaction, **tenant.columns, schedule=schedule)]


async def thresholds(transaction: Transaction, tenant: Tenant) -> dict[ScheduleName, tuple[ThresholdOfSchedule, bytes]]:
    """What was computed for a tenant, with a digest of what it was computed from."""
    rows = await transaction.execute(select(promise_thresholds).where(owned(promise_thresholds, tenant)))
    return {ScheduleName(row["schedule"]): (_threshold(dict(row)), row["evidence"]) for row in rows.mappings()}


async def keep_threshold(transaction: Transaction, tenant: Tenant, found: ThresholdOfSchedule, digest: bytes) -> None:
    """Store what reviews bear, in the place of what they bore."""
    broken = found.broken
    values = {
        "threshold": found.kept.threshold,
        "share": found.kept.share,
        "reviewed": found.kept.reviewed,
        "missing": found.kept.missing,
        "evidence": digest,
        "computed_at": found.computed_at,
        "broken_at": broken and broken.at,
        "broken_threshold": broken and broken.threshold,
        "broken_reviewed": broken and broken.reviewed,
        "broken_right": broken and broken.right,
    }
    query = upsert(promise_thresholds).values(**tenant.columns, schedule=found.schedule, **values)
    keys = [*tenant.columns, "schedule"]
    await transaction.execute(query.on_conflict_do_update(index_elements=keys, set_=values))


async def to_review(transaction: Transaction, tenant: Tenant) -> dict[ScheduleName, int]:
    """How many answers drawn by chance wait for a person, under each schedule that has some."""
    rows = await transaction.execute(_TO_REVIEW, tenant.columns)
    return {ScheduleName(row.schedule): row.number for row in rows}


def _terms(row: dict[str, Any]) -> PromiseTerms:
    return PromiseTerms(Promise(row["share_right"], row["digits"]), row["asked_share"])


def _threshold(row: dict[str, Any]) -> ThresholdOfSchedule:
    broken = None
    if row["broken_at"] is not None:
        names = ("broken_at", "broken_threshold", "broken_reviewed", "broken_right")
        broken = BrokenPromise(*(row[name] for name in names))
    kept = Kept(row["reviewed"], row["threshold"], row["share"], row["missing"])
    return ThresholdOfSchedule(ScheduleName(row["schedule"]), kept, 0, row["computed_at"], broken)


def _evidence(row: dict[str, Any]) -> Evidence:
    code = Code(row["code"])
    levels = [(len(one["code"]), one["confidence"]) for one in row["hierarchy"] or () if one["code"]]
    whole = (len(code), row["confidence"])
    scored = tuple((length, sure) for length, sure in (*levels, whole) if sure is not None)
    return Evidence(code, _right_digits(code, row), scored, row["completed_at"].date(), row["has_near_decisions"])


def _right_digits(code: Code, row: dict[str, Any]) -> int:
    """How many leading digits of the answer a person's word leaves standing."""
    if row["decision"] == Decision.REJECTED:
        return 0
    said = row["corrected"] or code
    alike = (place for place, pair in enumerate(zip(code, said, strict=False)) if pair[0] != pair[1])
    return next(alike, min(len(code), len(said)))
