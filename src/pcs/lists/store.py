"""The SQL of lists. The trap: an ORDER BY that no index serves; each order here has one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import RowMapping, text

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.owned import owned_sql
from pcs.base.tenancy import Tenant
from pcs.classifications.model import DecidedBy, Status
from pcs.lists.model import Attention, Listed, Sort, Wanted
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

_COLUMNS = """
    c.id, c.product_id, c.product_name, c.product_identifier, c.schedule, c.status, c.tariff_line AS code, c.confidence,
    coalesce((c.result ->> 'needs_review')::boolean, false) OR c.inconsistent AS needs_review,
    CASE r.stage WHEN 'decided' THEN r.decision WHEN 'proposed' THEN r.stage END AS decision,
    c.created_at, c.completed_at,
    coalesce(nullif(c.final_description, ''), CASE WHEN c.final_code IS NULL THEN c.description END, '') AS description,
    c.error_message, c.final_code, c.decided_by, c.metadata
"""
_FROM = f"""
    FROM classifications c LEFT JOIN reviews r ON r.classification_id = c.id
     WHERE {owned_sql("c")}
"""
_ORDERS = {
    Sort.NEWEST: "ORDER BY c.organization_id DESC, c.environment DESC, c.id DESC",
    Sort.OLDEST: "ORDER BY c.organization_id, c.environment, c.id",
    Sort.DOUBTFUL: "ORDER BY c.organization_id, c.environment, c.confidence, c.id",
}
_NEAR_ROWS = 3_000  # a word in one product of a hundred fills a page of 25 from so many
_SEARCH = "c.sought @@ to_tsquery('simple', :words)"
_NEAR = f"""
    SELECT {_COLUMNS} FROM (SELECT c.* {_FROM} {{where}} {{order}} LIMIT :near) c
      LEFT JOIN reviews r ON r.classification_id = c.id WHERE {_SEARCH} {{order}} LIMIT :limit
"""  # noqa: S608 (our own constants)
_FAR = f"""
    WITH found AS MATERIALIZED (SELECT c.id {_FROM} {{where}} AND {_SEARCH})
    SELECT {_COLUMNS} FROM found JOIN classifications c ON c.id = found.id
      LEFT JOIN reviews r ON r.classification_id = c.id {{order}} LIMIT :limit
"""  # noqa: S608 (our own constants)
_AFTER = {Sort.NEWEST: "c.id < :after", Sort.OLDEST: "c.id > :after"}
_ASKS = "((c.result ->> 'needs_review') = 'true' OR c.inconsistent)"  # as the queue's index has it
_SEEN = "SELECT FROM reviews seen WHERE seen.classification_id = c.id AND seen.stage <> 'sent_back'"
_WAITS = f"{_ASKS} AND NOT EXISTS ({_SEEN}) AND c.superseded_by IS NULL"
_STAGE = "r.organization_id = c.organization_id AND r.environment = c.environment AND r.stage = '{}'"
_DISAGREES = """EXISTS (
    SELECT 1 FROM classifications o WHERE o.product_id = c.product_id AND o.schedule <> c.schedule
       AND o.superseded_by IS NULL AND left(o.tariff_line, 6) <> left(c.tariff_line, 6))
"""
_ATTENTION = {
    Attention.WANTED: _WAITS,
    Attention.NOT_WANTED: f"NOT coalesce({_WAITS}, false)",
    Attention.REVIEWED: "r.stage = 'decided'",
    Attention.PROPOSED: _STAGE.format("proposed"),
    Attention.SENT_BACK: _STAGE.format("sent_back"),
}


async def lines(transaction: Transaction, tenant: Tenant, wanted: Wanted, *, words: Sequence[str]) -> list[Listed]:
    """The lines of a page and one more, which says that there is a next page.

    A search looks through the first few thousand in order, where a usual word is found soon; only what is rarer is
    looked up among the words, since sorting all finds of a usual word would take longer.
    """
    conditions, arguments = _conditions(wanted)
    arguments |= {**tenant.columns, "limit": wanted.limit + 1}
    where, order = "".join(f" AND {condition}" for condition in conditions), _ORDERS[wanted.sort]
    if not words:
        return await _listed_by(transaction, f"SELECT {_COLUMNS} {_FROM} {where} {order} LIMIT :limit", arguments)
    arguments["words"] = " & ".join(f"{word}:*" for word in words)
    near = _NEAR.format(where=where, order=order)
    found = await _listed_by(transaction, near, {**arguments, "near": _NEAR_ROWS})
    return (
        found
        if len(found) > wanted.limit
        else await _listed_by(transaction, _FAR.format(where=where, order=order), arguments)
    )


async def _listed_by(transaction: Transaction, query: str, arguments: dict[str, Any]) -> list[Listed]:
    return [_listed(row) for row in (await transaction.execute(text(query), arguments)).mappings()]


_FILTERS = {
    "status": "c.status = :status",
    "schedule": "c.schedule = :schedule",
    "identifier": "c.product_identifier = :identifier",
    "assigned_to": "c.assigned_to = :assigned_to",
    "product_id": "c.product_id = :product_id",
    "metadata": "c.metadata @> CAST(:metadata AS jsonb)",
    "batch_ids": "c.batch_id = ANY(:batch_ids)",
    "created_after": "c.created_at > :created_after",
    "created_before": "c.created_at < :created_before",
}


def _conditions(wanted: Wanted) -> tuple[list[str], dict[str, Any]]:
    arguments = {name: value for name in _FILTERS if (value := getattr(wanted, name)) is not None}
    conditions = [_FILTERS[name] for name in arguments]
    if wanted.batch_ids is not None:
        arguments["batch_ids"] = list(wanted.batch_ids)
    if wanted.metadata is not None:
        arguments["metadata"] = json.dumps(dict(wanted.metadata))
    if wanted.inconsistent is not None:
        conditions.append("c.inconsistent" if wanted.inconsistent else "NOT c.inconsistent")
    if wanted.attention is not None:
        conditions.append(_ATTENTION[wanted.attention])
    if wanted.sureness is not None:
        conditions.append("c.confidence >= :least AND c.confidence < :too_much")
        arguments |= dict(zip(("least", "too_much"), wanted.sureness, strict=True))
    if wanted.disagreeing:
        conditions.append(_DISAGREES)
    return [*conditions, *_cursor(wanted, arguments)], arguments


def _cursor(wanted: Wanted, arguments: dict[str, Any]) -> list[str]:
    if wanted.sort is Sort.DOUBTFUL:
        return ["c.confidence IS NOT NULL", *_doubtful_cursor(wanted.after, arguments)]
    if wanted.after is None:
        return []
    arguments["after"] = wanted.after
    return [_AFTER[wanted.sort]]


def _doubtful_cursor(after: str | None, arguments: dict[str, Any]) -> list[str]:
    confidence, _, last = (after or "").partition("~")
    try:
        place = float(confidence)
    except ValueError:
        return []
    if not 0 <= place <= 1 or not ids.is_id(ids.CLASSIFICATION, last):
        return []
    arguments |= {"confidence": place, "after": last}
    return ["(c.confidence, c.id) > (CAST(:confidence AS real), :after)"]


_FOR_REVIEW = text(f"""
    SELECT count(*) FROM (SELECT 1 FROM classifications c LEFT JOIN reviews r ON r.classification_id = c.id
     WHERE {owned_sql("c")}
       AND {_WAITS} LIMIT 100) unseen
""")  # noqa: S608 (our own constants)
_PROGRESS = text(f"""
    SELECT status, count(*) AS number FROM classifications
     WHERE {owned_sql()} AND batch_id = ANY(:batch_ids)
     GROUP BY status
""")  # noqa: S608 (our own constants)
_OF_PRODUCTS = text(f"""
    SELECT DISTINCT ON (c.product_id, c.schedule) {_COLUMNS} {_FROM}
       AND c.product_id = ANY(:product_ids) AND c.superseded_by IS NULL
     ORDER BY c.product_id, c.schedule DESC, c.id DESC
""")
_OF_BATCHES = text(f"SELECT {_COLUMNS} {_FROM} AND c.batch_id = ANY(:batch_ids) ORDER BY c.id LIMIT :limit")


async def count(transaction: Transaction, tenant: Tenant, wanted: Wanted, *, most: int) -> int:
    """How many there are, counted no further than `most`."""
    conditions, arguments = _conditions(wanted)
    where = "".join(f" AND {condition}" for condition in conditions)
    query = text(f"SELECT count(*) FROM (SELECT 1 {_FROM} {where} LIMIT :most) unseen")  # noqa: S608 (our own constants)
    counted: int = (await transaction.execute(query, {**arguments, **tenant.columns, "most": most})).scalar_one()
    return counted


async def of_products(transaction: Transaction, tenant: Tenant, product_ids: Sequence[str]) -> list[Listed]:
    """The newest classification of each of these products under each schedule."""
    rows = await transaction.execute(_OF_PRODUCTS, {**tenant.columns, "product_ids": list(product_ids)})
    return [_listed(row) for row in rows.mappings()]


async def waiting_for_review(transaction: Transaction, tenant: Tenant) -> int:
    """How many answers need review; counts no further than a hundred."""
    counted: int = (await transaction.execute(_FOR_REVIEW, tenant.columns)).scalar_one()
    return counted


async def progress(transaction: Transaction, tenant: Tenant, batch_ids: Sequence[str]) -> dict[Status, int]:
    """How many classifications of some batches are in each state."""
    rows = await transaction.execute(_PROGRESS, {**tenant.columns, "batch_ids": list(batch_ids)})
    return {Status(row.status): row.number for row in rows}


async def of_batches(
    transaction: Transaction, tenant: Tenant, batch_ids: Sequence[str], *, limit: int | None
) -> list[Listed]:
    """Classifications of some batches, oldest first."""
    arguments = {**tenant.columns, "batch_ids": list(batch_ids), "limit": limit}
    rows = await transaction.execute(_OF_BATCHES, arguments)
    return [_listed(row) for row in rows.mappings()]


def _listed(row: RowMapping) -> Listed:
    return Listed(
        id=row["id"],
        product_id=row["product_id"],
        product_name=row["product_name"],
        identifier=row["product_identifier"],
        schedule=ScheduleName(row["schedule"]),
        status=Status(row["status"]),
        code=Code(row["code"]) if row["code"] else None,
        final_code=Code(row["final_code"]) if row["final_code"] else None,
        decided_by=DecidedBy(row["decided_by"]) if row["decided_by"] else None,
        confidence=row["confidence"],
        needs_review=row["needs_review"],
        decision=row["decision"],
        created_at=row["created_at"],
        completed_at=row["completed_at"],
        description=row["description"],
        error=row["error_message"],
        metadata=row["metadata"] or {},
    )
