"""The SQL of endpoints. The trap: the default endpoint's table is also written by the version before, which knows no
other; the others have a table of their own, and whoever reads reads both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import (
    ARRAY,
    Boolean,
    Column,
    ColumnElement,
    ForeignKey,
    LargeBinary,
    Table,
    Text,
    delete,
    literal,
    select,
    text,
    union_all,
)
from sqlalchemy.dialects.postgresql import insert as upsert

from pcs.base.database import MOMENT, Prepared, Transaction, metadata
from pcs.base.owned import owned, owned_by_arguments
from pcs.base.tenancy import Environment, Tenant
from pcs.webhooks.model import DEFAULT, Endpoint, EventType


def _settings() -> tuple[Column[Any], ...]:
    return (
        Column("url", Text, nullable=False),
        Column("description", Text, nullable=False, server_default=""),
        Column("secret", LargeBinary),
        Column("previous_secret", LargeBinary),
        Column("previous_until", MOMENT),
        Column("event_types", ARRAY(Text), nullable=False),
        Column("enabled", Boolean, nullable=False),
        Column("created_at", MOMENT, nullable=False),
        Column("updated_at", MOMENT, nullable=False),
    )


webhook_endpoints = Table(
    "webhook_endpoints",
    metadata,
    Column("organization_id", ForeignKey("organizations.id"), primary_key=True),
    Column("environment", Text, primary_key=True),
    *_settings(),
)
added_endpoints = Table(
    "added_endpoints",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("environment", Text, nullable=False),
    *_settings(),
)
_NAMES = tuple(column.name for column in webhook_endpoints.columns)
_KINDS = (webhook_endpoints, added_endpoints)

EVERY_ENDPOINT = f"""(SELECT '{DEFAULT}' AS id, organization_id, environment, url FROM webhook_endpoints
                      UNION ALL SELECT id, organization_id, environment, url FROM added_endpoints)"""  # noqa: S608
"""A table of all endpoints for SQL as text."""


def _select(table: Table) -> Any:  # noqa: ANN401 (SQLAlchemy's own type has one parameter a column)
    named = literal(DEFAULT, literal_execute=True) if table is webhook_endpoints else table.c.id
    return select(named.label("id"), *(table.c[name] for name in _NAMES))


_EVERY = Prepared(union_all(*(_select(table).where(owned_by_arguments(table)) for table in _KINDS)))
_HOLD_ALL = text("SELECT pg_advisory_xact_lock(hashtextextended('endpoints ' || :whose, 0))")


async def hold_all(transaction: Transaction, tenant: Tenant) -> None:
    """Let nobody else add or change endpoints of a tenant before the transaction ends."""
    await transaction.execute(_HOLD_ALL, {"whose": f"{tenant.organization_id} {tenant.environment}"})


async def every(transaction: Transaction, tenant: Tenant) -> list[Endpoint]:
    """A tenant's endpoints, the default one first, then the oldest."""
    found = [_endpoint(row) for row in await _EVERY.rows(transaction, **tenant.columns)]
    return sorted(found, key=lambda one: (one.id != DEFAULT, one.id))


async def get(transaction: Transaction, tenant: Tenant, endpoint_id: str) -> Endpoint | None:
    """One endpoint of a tenant."""
    query = _select(_table(endpoint_id)).where(_is(tenant, endpoint_id))
    row = (await transaction.execute(query)).mappings().one_or_none()
    return None if row is None else _endpoint(row)


async def put(transaction: Transaction, endpoint: Endpoint) -> None:
    """Store an endpoint over what was stored of it."""
    table = _table(endpoint.id)
    values = {name: getattr(endpoint, name) for name in _NAMES if name not in Tenant.COLUMNS}
    values["event_types"] = list(endpoint.event_types)
    key = endpoint.tenant.columns if endpoint.id == DEFAULT else {"id": endpoint.id}
    query = upsert(table).values(**{**endpoint.tenant.columns, **key}, **values)
    await transaction.execute(query.on_conflict_do_update(index_elements=list(key), set_=values))


async def remove(transaction: Transaction, tenant: Tenant, endpoint_id: str) -> bool:
    """Remove an endpoint; False where there is none."""
    query = delete(_table(endpoint_id)).where(_is(tenant, endpoint_id))
    return (await transaction.execute(query)).rowcount == 1


async def with_secrets(transaction: Transaction) -> list[Endpoint]:
    """All tenants' endpoints that have a secret, nobody else's to change before the transaction ends."""
    found = []
    for table in _KINDS:
        query = _select(table).where(table.c.secret.is_not(None)).with_for_update()
        found += [_endpoint(row) for row in (await transaction.execute(query)).mappings()]
    return found


def _table(endpoint_id: str) -> Table:
    return webhook_endpoints if endpoint_id == DEFAULT else added_endpoints


def _is(tenant: Tenant, endpoint_id: str) -> ColumnElement[bool]:
    mine = owned(_table(endpoint_id), tenant)
    return mine if endpoint_id == DEFAULT else mine & (added_endpoints.c.id == endpoint_id)


def _endpoint(row: Mapping[Any, Any]) -> Endpoint:
    values = dict(row)
    tenant = Tenant(values.pop("organization_id"), Environment(values.pop("environment")))
    return Endpoint(tenant=tenant, event_types=tuple(map(EventType, values.pop("event_types"))), **values)
