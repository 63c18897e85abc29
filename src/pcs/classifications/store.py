"""All SQL of classifications and their reviews.

The trap: a transition without its condition; each UPDATE can lose politely."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    ForeignKey,
    Integer,
    RowMapping,
    Select,
    Table,
    Text,
    bindparam,
    false,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.dialects.postgresql import insert as upsert

from pcs.base.database import MOMENT, Transaction, metadata
from pcs.base.paging import Page, Slice, page
from pcs.base.queue import is_queued
from pcs.base.tenancy import Environment, Tenant
from pcs.classifications.model import (
    OPEN,
    Claim,
    Classification,
    Decision,
    Failure,
    FailureCode,
    Filters,
    Outcome,
    Review,
    Status,
)
from pcs.products.model import ProductFields
from pcs.tariff.revision import ScheduleName

_RECENT = 50  # completed classifications that the estimate looks at
_COUNTED = 10_000  # waiting classifications beyond which the estimate stops counting

classifications = Table(
    "classifications",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("environment", Text, nullable=False),
    Column("product_id", ForeignKey("products.id"), nullable=False),
    Column("batch_id", ForeignKey("batches.id")),
    Column("schedule", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("product_name", Text, nullable=False),
    Column("product_description", Text),
    Column("product_identifier", Text),
    Column("product_country_of_origin", Text),
    Column("webhook_url", Text),
    Column("attempt", Integer, nullable=False, server_default="0"),
    Column("job_id", BigInteger),
    Column("created_at", MOMENT, nullable=False),
    Column("started_at", MOMENT),
    Column("completed_at", MOMENT),
    Column("processing_time_ms", Integer),
    Column("result", JSONB(none_as_null=True)),
    Column("error_code", Text),
    Column("error_message", Text),
    Column("steps", JSONB(none_as_null=True)),
)
reviews = Table(
    "reviews",
    metadata,
    Column("classification_id", ForeignKey("classifications.id"), primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("environment", Text, nullable=False),
    Column("decision", Text, nullable=False),
    Column("code", Text),
    Column("note", Text),
    Column("reviewed_by", Text, nullable=False),
    Column("reviewed_at", MOMENT, nullable=False),
)

_SHOWN = [column for column in classifications.c if column.name != "steps"]
_REVIEW = [reviews.c.decision, reviews.c.code, reviews.c.note, reviews.c.reviewed_by, reviews.c.reviewed_at]
_JOINED = classifications.outerjoin(reviews, reviews.c.classification_id == classifications.c.id)


async def add(transaction: Transaction, added: Sequence[Classification]) -> None:
    """Store new classifications."""
    rows = [
        {
            "id": one.id,
            "organization_id": one.tenant.organization_id,
            "environment": one.tenant.environment,
            "product_id": one.product_id,
            "batch_id": one.batch_id,
            "schedule": one.schedule,
            "status": one.status,
            "product_name": one.goods.name,
            "product_description": one.goods.description,
            "product_identifier": one.goods.identifier,
            "product_country_of_origin": one.goods.country_of_origin,
            "webhook_url": one.webhook_url,
            "created_at": one.created_at,
        }
        for one in added
    ]
    await transaction.execute(insert(classifications), rows)


async def set_jobs(transaction: Transaction, jobs: Sequence[tuple[str, int]]) -> None:
    """Remember which job carries which classification."""
    query = update(classifications).where(classifications.c.id == bindparam("which"))
    values = [{"which": classification_id, "job": job_id} for classification_id, job_id in jobs]
    await transaction.execute(query.values(job_id=bindparam("job")), values)


async def get(transaction: Transaction, tenant: Tenant, classification_id: str) -> Classification | None:
    """A tenant's classification with its review."""
    query = _of(tenant).where(classifications.c.id == classification_id)
    row = (await transaction.execute(query)).mappings().one_or_none()
    return None if row is None else _classification(row)


async def get_steps(transaction: Transaction, tenant: Tenant, classification_id: str) -> list[dict[str, Any]] | None:
    """How a tenant's classification was analysed, step by step; None before its end."""
    query = select(classifications.c.steps).where(
        classifications.c.id == classification_id,
        classifications.c.organization_id == tenant.organization_id,
        classifications.c.environment == tenant.environment,
    )
    return (await transaction.execute(query)).scalar_one_or_none()


async def list_page(transaction: Transaction, tenant: Tenant, filters: Filters, wanted: Slice) -> Page[Classification]:
    """A tenant's classifications, newest first."""
    query = _of(tenant).where(*_conditions(filters))
    rows = (await transaction.execute(wanted.of(query, classifications.c.id))).mappings()
    return page([_classification(row) for row in rows], wanted, lambda one: one.id)


async def list_all(
    transaction: Transaction, tenant: Tenant, *, product_id: str | None = None, batch_id: str | None = None
) -> list[Classification]:
    """Every classification of a product or a batch, in the order in which they were accepted."""
    conditions = _conditions(Filters(product_id=product_id, batch_id=batch_id))
    rows = (await transaction.execute(_of(tenant).where(*conditions).order_by(classifications.c.id))).mappings()
    return [_classification(row) for row in rows]


def _of(tenant: Tenant) -> Select[Any]:
    return (
        select(*_SHOWN, *_REVIEW)
        .select_from(_JOINED)
        .where(
            classifications.c.organization_id == tenant.organization_id,
            classifications.c.environment == tenant.environment,
        )
    )


def _conditions(filters: Filters) -> list[ColumnElement[bool]]:
    equal = {
        classifications.c.status: filters.status,
        classifications.c.schedule: filters.schedule,
        classifications.c.product_identifier: filters.identifier,
        classifications.c.product_id: filters.product_id,
        classifications.c.batch_id: filters.batch_id,
    }
    conditions = [column == value for column, value in equal.items() if value is not None]
    if filters.created_after is not None:
        conditions.append(classifications.c.created_at > filters.created_after)
    if filters.created_before is not None:
        conditions.append(classifications.c.created_at < filters.created_before)
    if filters.needs_review is not None:
        flagged = (classifications.c.result["needs_review"].astext == "true") & reviews.c.decision.is_(None)
        conditions.append(flagged if filters.needs_review else func.coalesce(flagged, false()).is_(False))
    return conditions


async def count_by_status(transaction: Transaction, batch_ids: Sequence[str]) -> dict[str, dict[Status, int]]:
    """For each batch how many of its classifications are in which state."""
    table = classifications.c
    query = (
        select(table.batch_id, table.status, func.count().label("number"))
        .where(table.batch_id.in_(batch_ids))
        .group_by(table.batch_id, table.status)
    )
    counts: dict[str, dict[Status, int]] = {batch_id: {} for batch_id in batch_ids}
    for row in await transaction.execute(query):
        counts[row.batch_id][Status(row.status)] = row.number
    return counts


async def put_review(transaction: Transaction, tenant: Tenant, classification_id: str, review: Review) -> None:
    """Store a review in the place of any earlier one."""
    whose = {"organization_id": tenant.organization_id, "environment": tenant.environment}
    said = {
        "decision": review.decision,
        "code": review.code,
        "note": review.note,
        "reviewed_by": review.by,
        "reviewed_at": review.at,
    }
    query = upsert(reviews).values(classification_id=classification_id, **whose, **said)
    await transaction.execute(query.on_conflict_do_update(index_elements=["classification_id"], set_=said))


async def cancel(
    transaction: Transaction, tenant: Tenant, classification_id: str, failure: Failure, *, now: dt.datetime
) -> bool:
    """End a tenant's pending classification; False, and nothing, where it is not pending any more."""
    query = update(classifications).where(
        classifications.c.id == classification_id,
        classifications.c.organization_id == tenant.organization_id,
        classifications.c.environment == tenant.environment,
        classifications.c.status == Status.PENDING,
    )
    ended = {"status": Status.FAILED, "error_code": failure.code, "error_message": failure.message}
    return (await transaction.execute(query.values(completed_at=now, **ended))).rowcount == 1


async def claim(transaction: Transaction, classification_id: str, *, now: dt.datetime) -> Claim | None:
    """Take an unfinished classification over from whoever had it; None where it is finished or unknown."""
    query = (
        update(classifications)
        .where(classifications.c.id == classification_id, classifications.c.status.in_(OPEN))
        .values(
            status=Status.PROCESSING,
            attempt=classifications.c.attempt + 1,
            started_at=func.coalesce(classifications.c.started_at, now),
        )
        .returning(classifications)
    )
    row = (await transaction.execute(query)).mappings().one_or_none()
    return None if row is None else Claim(_classification(row), row["attempt"])


async def finish(transaction: Transaction, claim: Claim, outcome: Outcome, *, now: dt.datetime) -> bool:
    """Store how a claimed classification ended; False, and nothing, where somebody claimed it meanwhile."""
    failure = outcome.failure
    query = update(classifications).where(
        classifications.c.id == claim.classification.id,
        classifications.c.status == Status.PROCESSING,
        classifications.c.attempt == claim.attempt,
    )
    changed = await transaction.execute(
        query.values(
            status=Status.FAILED if failure else Status.COMPLETED,
            completed_at=now,
            processing_time_ms=outcome.processing_time_ms,
            result=outcome.result,
            steps=outcome.steps,
            error_code=failure.code if failure else None,
            error_message=failure.message if failure else None,
        ),
    )
    return changed.rowcount == 1


async def count_open(transaction: Transaction, tenant: Tenant | None = None, *, in_batch: bool | None = None) -> int:
    """How many classifications are not finished, of one tenant or of all, in batches, by themselves, or both.

    Counts no further than ten thousand.
    """
    query = select(classifications.c.id).where(classifications.c.status.in_(OPEN)).limit(_COUNTED)
    if tenant is not None:
        query = query.where(
            classifications.c.organization_id == tenant.organization_id,
            classifications.c.environment == tenant.environment,
        )
    if in_batch is not None:
        query = query.where(classifications.c.batch_id.is_not(None) == in_batch)
    counted: int = (await transaction.execute(select(func.count()).select_from(query.subquery()))).scalar_one()
    return counted


async def open_by_state(transaction: Transaction) -> list[tuple[str, str, int, dt.datetime]]:
    """Environment, state, how many of all tenants are in it, and since when the oldest was accepted."""
    table = classifications.c
    query = select(table.environment, table.status, func.count(), func.min(table.created_at))
    grouped = query.where(table.status.in_(OPEN)).group_by(table.environment, table.status)
    return [(row[0], row[1], row[2], row[3]) for row in await transaction.execute(grouped)]


async def median_processing_ms(transaction: Transaction) -> float | None:
    """The median of the latest analyses, None before the first."""
    recent = (
        select(classifications.c.processing_time_ms)
        .where(classifications.c.status == Status.COMPLETED)
        .order_by(classifications.c.completed_at.desc())
        .limit(_RECENT)
        .subquery()
    )
    query = select(func.percentile_cont(0.5).within_group(recent.c.processing_time_ms))
    median: float | None = (await transaction.execute(query)).scalar_one()
    return median


async def orphans(transaction: Transaction, *, before: dt.datetime) -> list[tuple[str, Environment]]:
    """Unfinished classifications accepted earlier that no job carries any more, and where they belong."""
    query = (
        select(classifications.c.id, classifications.c.environment)
        .where(
            classifications.c.status.in_(OPEN),
            classifications.c.created_at < before,
            ~is_queued(classifications.c.job_id),
        )
        .limit(100)
        .with_for_update(skip_locked=True)
    )
    return [(row.id, Environment(row.environment)) for row in await transaction.execute(query)]


def _classification(row: RowMapping) -> Classification:
    goods = ProductFields(
        name=row["product_name"],
        description=row["product_description"],
        identifier=row["product_identifier"],
        country_of_origin=row["product_country_of_origin"],
    )
    failure = Failure(FailureCode(row["error_code"]), row["error_message"]) if row["error_code"] else None
    return Classification(
        id=row["id"],
        tenant=Tenant(row["organization_id"], Environment(row["environment"])),
        product_id=row["product_id"],
        schedule=ScheduleName(row["schedule"]),
        status=Status(row["status"]),
        goods=goods,
        created_at=row["created_at"],
        batch_id=row["batch_id"],
        webhook_url=row["webhook_url"],
        started_at=row["started_at"],
        completed_at=row["completed_at"],
        processing_time_ms=row["processing_time_ms"],
        result=row["result"],
        failure=failure,
        review=_review(row),
    )


def _review(row: RowMapping) -> Review | None:
    if row.get("decision") is None:
        return None
    return Review(
        decision=Decision(row["decision"]),
        by=row["reviewed_by"],
        at=row["reviewed_at"],
        code=row["code"],
        note=row["note"],
    )
