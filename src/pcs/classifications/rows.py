"""A row of the table of classifications as the classification that it is, and what is decided of it as columns.

The trap: a column that is read and not written, or the other way; both ways stand here beside each other."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from pcs.base.tenancy import Environment, Tenant
from pcs.classifications.documents import comparison_from, result_from
from pcs.classifications.model import Classification, DecidedBy, Failure, FailureCode, Final, Status
from pcs.engine.result import Result
from pcs.products.model import ProductFields
from pcs.products.store import declared_from
from pcs.reviews import store as reviews
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

_FINAL = {
    "final_code": "code",
    "final_description": "description",
    "final_revision": "revision",
    "decided_by": "decided_by",
    "decided_at": "decided_at",
    "decided_by_name": "decided_by_name",
    "decided_reason": "reason",
}
"""Columns, and the fields of what they say."""


def final_values(final: Final | None) -> dict[str, Any]:
    """The columns of what goods are declared under; all null where that is open."""
    values = {} if final is None else {name: getattr(final, field) for name, field in _FINAL.items()}
    return dict.fromkeys(_FINAL) | values


def _final(row: Mapping[str, Any]) -> Final | None:
    if row["final_code"] is None:
        return None
    said = {field: row[name] for name, field in _FINAL.items()}
    return Final(**said | {"code": Code(row["final_code"]), "decided_by": DecidedBy(row["decided_by"])})


def classification_of(row: Mapping[str, Any]) -> Classification:
    """A classification with its review, from a row that has the columns of both."""
    goods = ProductFields(
        name=row["product_name"],
        description=row["product_description"],
        identifier=row["product_identifier"],
        country_of_origin=row["product_country_of_origin"],
        language=row["product_language"],
        declared_codes=declared_from(row["product_declared_codes"]),
        attributes=row["product_attributes"] or {},
        entry_date=row["product_entry_date"],
        metadata=row["metadata"] or {},
        image_urls=tuple(row["product_image_urls"] or ()),
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
        result=_result(row),
        failure=failure,
        review=reviews.review_of(row),
        reviewer=row["reviewer"],
        supersedes=row["supersedes"],
        superseded_by=row["superseded_by"],
        filed=None if row["filed"] is None else comparison_from(row["filed"]),
        final=_final(row),
        asked_by_chance=row["asked_by_chance"],
        variant_key=row["variant_key"],
        inconsistent=row["inconsistent"],
        assigned_to=row["assigned_to"],
    )


def _result(row: Mapping[str, Any]) -> Result | None:
    """The result as it was stored; where variants of the goods got other codes, a person should look at it."""
    if row["result"] is None:
        return None
    result = result_from(row["result"])
    return dataclasses.replace(result, needs_review=True) if row["inconsistent"] else result
