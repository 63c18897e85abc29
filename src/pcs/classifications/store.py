"""All SQL of classifications; each is read with its review.

The trap: a transition without its condition; each UPDATE can lose politely."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Date,
    ForeignKey,
    Integer,
    LargeBinary,
    Select,
    Table,
    Text,
    bindparam,
    func,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB

from pcs.base.database import MOMENT, Prepared, Transaction, metadata
from pcs.base.owned import owned, owned_by_arguments
from pcs.base.tenancy import Tenant
from pcs.classifications.documents import (
    steps_from,
)
from pcs.classifications.model import (
    Classification,
    Failure,
    Final,
    Status,
)
from pcs.classifications.rows import classification_of, final_values
from pcs.engine.determination import Step
from pcs.reviews import store as reviews

COMPUTED = {
    "tariff_line": "the result's code, for lists, searches and what a new revision makes outdated",
    "description": "the code's words, for lists",
    "confidence": "for the order by doubt",
    "sought": "what the search of lists looks in: goods, the result's code and the final one",
}
"""Columns that the database computes and lists read; not in the table below, so that no row brings them along."""

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
    Column("product_language", Text),
    Column("product_declared_codes", JSONB(none_as_null=True)),
    Column("product_attributes", JSONB(none_as_null=True)),
    Column("product_entry_date", Date),
    Column("product_image_urls", JSONB(none_as_null=True)),
    Column("metadata", JSONB(none_as_null=True)),
    Column("supersedes", ForeignKey("classifications.id")),
    Column("superseded_by", ForeignKey("classifications.id")),
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
    Column("reviewer", JSONB(none_as_null=True)),
    Column("filed", JSONB(none_as_null=True)),
    Column("final_code", Text),
    Column("final_description", Text),
    Column("final_revision", Text),
    Column("decided_by", Text),
    Column("decided_at", MOMENT),
    Column("decided_by_name", Text),
    Column("decided_reason", Text),
    Column("asked_by_chance", Boolean, nullable=False, server_default="false"),
    Column("variant_key", LargeBinary),
    Column("inconsistent", Boolean, nullable=False, server_default="false"),
    Column("assigned_to", Text),
)

_SHOWN = [column for column in classifications.c if column.name != "steps"]
_JOINED = classifications.outerjoin(reviews.reviews, reviews.reviews.c.classification_id == classifications.c.id)


async def supersede(transaction: Transaction, tenant: Tenant, classification_id: str, by: str) -> None:
    """Let another take the place of a tenant's classification that is held."""
    query = update(classifications).where(
        classifications.c.id == classification_id,
        owned(classifications, tenant),
        classifications.c.superseded_by.is_(None),
    )
    await transaction.execute(query.values(superseded_by=by))


async def set_jobs(transaction: Transaction, jobs: Sequence[tuple[str, int]]) -> None:
    """Remember which job carries which classification."""
    query = update(classifications).where(classifications.c.id == bindparam("which"))
    values = [{"which": classification_id, "job": job_id} for classification_id, job_id in jobs]
    if values:
        await transaction.execute(query.values(job_id=bindparam("job")), values)


_GET = Prepared(
    select(*_SHOWN, *reviews.SHOWN)
    .select_from(_JOINED)
    .where(
        classifications.c.id == bindparam("which"),
        owned_by_arguments(classifications),
    )
)


async def get(transaction: Transaction, tenant: Tenant, classification_id: str) -> Classification | None:
    """A tenant's classification with its review."""
    row = await _GET.row(
        transaction,
        which=classification_id,
        **tenant.columns,
    )
    return None if row is None else classification_of(row)


async def get_steps(transaction: Transaction, tenant: Tenant, classification_id: str) -> tuple[Step, ...] | None:
    """How a tenant's classification was analysed, step by step; None before its end."""
    query = select(classifications.c.steps).where(
        classifications.c.id == classification_id,
        owned(classifications, tenant),
    )
    document = (await transaction.execute(query)).scalar_one_or_none()
    return None if document is None else steps_from(document)


async def list_all(
    transaction: Transaction,
    tenant: Tenant,
    *,
    product_id: str | None = None,
    batch_id: str | None = None,
    classification_ids: Sequence[str] | None = None,
) -> list[Classification]:
    """Every classification of a product, of a batch, or of these ids, in the order in which they were accepted."""
    query, columns = _of(tenant).order_by(classifications.c.id), classifications.c
    for column, value in ((columns.product_id, product_id), (columns.batch_id, batch_id)):
        query = query if value is None else query.where(column == value)
    if classification_ids is not None:
        query = query.where(columns.id.in_(classification_ids))
    return [classification_of(row) for row in (await transaction.execute(query)).mappings()]


def _of(tenant: Tenant) -> Select[Any]:
    return (
        select(*_SHOWN, *reviews.SHOWN)
        .select_from(_JOINED)
        .where(
            owned(classifications, tenant),
        )
    )


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


async def cancel(
    transaction: Transaction, tenant: Tenant, classification_id: str, failure: Failure, *, now: dt.datetime
) -> bool:
    """End a tenant's pending classification; False, and nothing, where it is not pending any more."""
    query = update(classifications).where(
        classifications.c.id == classification_id,
        owned(classifications, tenant),
        classifications.c.status == Status.PENDING,
    )
    ended = {"status": Status.FAILED, "error_code": failure.code, "error_message": failure.message}
    return (await transaction.execute(query.values(completed_at=_not_before_accepted(now), **ended))).rowcount == 1


async def hold(transaction: Transaction, tenant: Tenant, classification_id: str) -> None:
    """Let whoever else wants to decide on a tenant's classification wait for the end of this transaction."""
    query = select(classifications.c.id).where(
        classifications.c.id == classification_id, owned(classifications, tenant)
    )
    await transaction.execute(query.with_for_update())


async def assign(transaction: Transaction, tenant: Tenant, classification_id: str, email: str | None) -> None:
    """Store who is to review a tenant's classification."""
    query = update(classifications).where(classifications.c.id == classification_id, owned(classifications, tenant))
    await transaction.execute(query.values(assigned_to=email))


async def decide(transaction: Transaction, tenant: Tenant, classification_id: str, final: Final | None) -> None:
    """Store what a tenant's goods are declared under; None where that is open."""
    query = update(classifications).where(classifications.c.id == classification_id, owned(classifications, tenant))
    await transaction.execute(query.values(**final_values(final)))


def _not_before_accepted(now: dt.datetime) -> ColumnElement[dt.datetime]:
    """A moment of this host's, but never one before the classification was accepted on another."""
    return func.greatest(classifications.c.created_at, now)
