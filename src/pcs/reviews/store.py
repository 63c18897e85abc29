"""All SQL of reviews; classifications are read with theirs. The trap: a second review beside the first; the latest
counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Column, ForeignKey, Table, Text
from sqlalchemy.dialects.postgresql import insert as upsert

from pcs.base.database import MOMENT, Transaction, metadata
from pcs.base.tenancy import Tenant
from pcs.reviews.model import Decision, Review, Stage

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
    Column("stage", Text, nullable=False, server_default=Stage.DECIDED),
    Column("second_by", Text),
    Column("second_at", MOMENT),
    Column("second_note", Text),
)

_OWN = ("classification_id", "organization_id", "environment")
SHOWN = [column for column in reviews.c if column.name not in _OWN]


async def put(transaction: Transaction, tenant: Tenant, classification_id: str, review: Review) -> None:
    """Store a review in the place of any earlier one."""
    whose = tenant.columns
    said = {
        "decision": review.decision,
        "code": review.code,
        "note": review.note,
        "reviewed_by": review.by,
        "reviewed_at": review.at,
        "stage": review.stage,
        "second_by": review.second_by,
        "second_at": review.second_at,
        "second_note": review.second_note,
    }
    query = upsert(reviews).values(classification_id=classification_id, **whose, **said)
    await transaction.execute(query.on_conflict_do_update(index_elements=["classification_id"], set_=said))


def review_of(row: Mapping[str, Any]) -> Review | None:
    """The review in a row that has its columns; None where there is none."""
    if row.get("decision") is None:
        return None
    return Review(
        decision=Decision(row["decision"]),
        by=row["reviewed_by"],
        at=row["reviewed_at"],
        code=row["code"],
        note=row["note"],
        stage=Stage(row["stage"]),
        second_by=row["second_by"],
        second_at=row["second_at"],
        second_note=row["second_note"],
    )
