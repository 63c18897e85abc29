"""All SQL of classifications. The trap: a transition without its condition; each UPDATE can lose politely."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    ForeignKey,
    Integer,
    RowMapping,
    Table,
    Text,
    bindparam,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB

from pcs.base.database import Transaction, metadata
from pcs.base.queue import is_queued
from pcs.base.tenancy import Environment, Tenant
from pcs.classifications.model import OPEN, Claim, Classification, Failure, FailureCode, Outcome, Status
from pcs.products.model import ProductFields
from pcs.tariff.revision import ScheduleName

_TIME = DateTime(timezone=True)
_RECENT = 50  # completed classifications that the estimate looks at
_COUNTED = 10_000  # waiting classifications beyond which the estimate stops counting

batches = Table(
    "batches",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("environment", Text, nullable=False),
    Column("webhook_url", Text),
    Column("total", Integer, nullable=False),
    Column("unfinished", Integer, nullable=False),
    Column("created_at", _TIME, nullable=False),
    Column("completed_at", _TIME),
)
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
    Column("created_at", _TIME, nullable=False),
    Column("started_at", _TIME),
    Column("completed_at", _TIME),
    Column("processing_time_ms", Integer),
    Column("result", JSONB(none_as_null=True)),
    Column("error_code", Text),
    Column("error_message", Text),
)


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
    """A tenant's classification."""
    query = select(classifications).where(
        classifications.c.id == classification_id,
        classifications.c.organization_id == tenant.organization_id,
        classifications.c.environment == tenant.environment,
    )
    row = (await transaction.execute(query)).mappings().one_or_none()
    return None if row is None else _classification(row)


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
            error_code=failure.code if failure else None,
            error_message=failure.message if failure else None,
        ),
    )
    return changed.rowcount == 1


async def count_open(transaction: Transaction, tenant: Tenant | None = None) -> int:
    """How many classifications are not finished, of one tenant or of all; counts no further than ten thousand."""
    query = select(classifications.c.id).where(classifications.c.status.in_(OPEN)).limit(_COUNTED)
    if tenant is not None:
        query = query.where(
            classifications.c.organization_id == tenant.organization_id,
            classifications.c.environment == tenant.environment,
        )
    counted: int = (await transaction.execute(select(func.count()).select_from(query.subquery()))).scalar_one()
    return counted


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


async def orphans(transaction: Transaction, *, before: dt.datetime) -> list[str]:
    """Unfinished classifications accepted earlier that no job carries any more."""
    query = (
        select(classifications.c.id)
        .where(
            classifications.c.status.in_(OPEN),
            classifications.c.created_at < before,
            ~is_queued(classifications.c.job_id),
        )
        .limit(100)
        .with_for_update(skip_locked=True)
    )
    return list((await transaction.execute(query)).scalars())


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
    )
