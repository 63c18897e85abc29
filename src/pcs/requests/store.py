"""All SQL of the request log. The trap: deleting days of it at once; each sweep takes a limited number, the oldest
first, and skips what another worker is deleting."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Double,
    Integer,
    RowMapping,
    Select,
    Table,
    Text,
    delete,
    func,
    literal,
    null,
    select,
    text,
)

from pcs.base.database import MOMENT, Prepared, Transaction, metadata
from pcs.base.owned import owned
from pcs.base.paging import Page, Slice, page
from pcs.base.tenancy import Environment, Tenant
from pcs.organizations.store import api_keys
from pcs.requests.model import LoggedRequest, RequestFilters

logged_requests = Table(
    "logged_requests",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", Text, nullable=False),
    Column("environment", Text, nullable=False),
    Column("key_id", Text, nullable=False),
    Column("method", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("query", Text, nullable=False),
    Column("status", Integer, nullable=False),
    Column("took", Double, nullable=False),
    Column("created_at", MOMENT, nullable=False),
    Column("request_body", Text),
    Column("response_body", Text),
)
_BODIES = ("request_body", "response_body")
_FORGOTTEN_AT_ONCE = 5_000
_ADD = Prepared(
    text(
        f"INSERT INTO {logged_requests.name} SELECT * FROM"  # noqa: S608 (our own name)
        f" json_populate_recordset(NULL::{logged_requests.name}, CAST(:lines AS json))"
    )
)  # as one text: an array for each column takes the driver five times as long, and it is the poll that pays for it


async def add(transaction: Transaction, lines: Sequence[LoggedRequest]) -> None:
    """Store requests."""
    await _ADD.run(transaction, lines=json.dumps([_row(one) for one in lines]))


def _row(line: LoggedRequest) -> dict[str, str | float | None]:
    return {
        "id": line.id,
        **line.tenant.columns,
        "key_id": line.key_id,
        "method": line.method,
        "path": line.path,
        "query": line.query,
        "status": line.status,
        "took": line.took,
        "created_at": line.created_at.isoformat(),
        "request_body": line.request_body,
        "response_body": line.response_body,
    }


async def list_page(
    transaction: Transaction, tenant: Tenant, filters: RequestFilters, wanted: Slice
) -> Page[LoggedRequest]:
    """A tenant's requests without their bodies, newest first."""
    query = _filtered(_selected(tenant, bodies=False), filters)
    rows = (await transaction.execute(wanted.of(query, logged_requests.c.id))).mappings()
    return page([_request(row) for row in rows], wanted, lambda one: one.id)


async def get(transaction: Transaction, tenant: Tenant, request_id: str) -> LoggedRequest | None:
    """A tenant's request."""
    query = _selected(tenant, bodies=True).where(logged_requests.c.id == request_id)
    row = (await transaction.execute(query)).mappings().one_or_none()
    return None if row is None else _request(row)


async def forget(transaction: Transaction, *, before: dt.datetime) -> None:
    """Drop the oldest of those that were made earlier."""
    oldest = select(logged_requests.c.id).order_by(logged_requests.c.id).limit(_FORGOTTEN_AT_ONCE)
    old = oldest.where(logged_requests.c.created_at < before).with_for_update(skip_locked=True)
    await transaction.execute(delete(logged_requests).where(logged_requests.c.id.in_(old)))


def _selected(tenant: Tenant, *, bodies: bool) -> Select[Any]:
    columns = [
        column if bodies or column.name not in _BODIES else null().label(column.name) for column in logged_requests.c
    ]
    keys = api_keys.c.name.label("key_name"), api_keys.c.last_four.label("key_last_four")
    joined = logged_requests.join(api_keys, api_keys.c.id == logged_requests.c.key_id)
    return select(*columns, *keys).select_from(joined).where(owned(logged_requests, tenant))


def _filtered(query: Select[Any], filters: RequestFilters) -> Select[Any]:
    first, last = filters.statuses or (None, None)
    asked = {
        "key_id": filters.key_id,
        "method": filters.method,
        "path": filters.path,
        "first": first,
        "last": last,
        "after": filters.created_after,
        "before": filters.created_before,
    }
    return query.where(*(_CONDITIONS[name](value) for name, value in asked.items() if value is not None))


_LINES = logged_requests.c
_CONDITIONS: dict[str, Callable[[Any], ColumnElement[bool]]] = {
    "key_id": lambda value: _LINES.key_id == value,
    "method": lambda value: _LINES.method == value,
    "path": lambda value: func.starts_with(_LINES.path, literal(value, Text)),
    "first": lambda value: _LINES.status >= value,
    "last": lambda value: _LINES.status <= value,
    "after": lambda value: _LINES.created_at >= value,
    "before": lambda value: _LINES.created_at <= value,
}


def _request(row: RowMapping) -> LoggedRequest:
    said = {name: value for name, value in row.items() if name not in Tenant.COLUMNS}
    return LoggedRequest(tenant=Tenant(row["organization_id"], Environment(row["environment"])), **said)
