"""The one condition that a query for a tenant's rows begins with.

The trap: a query that filters on the organization and forgets the environment; nobody writes that condition by hand."""

from __future__ import annotations

from sqlalchemy import BindParameter, ColumnElement, FromClause, and_, bindparam

from pcs.base.tenancy import Tenant


def owned(table: FromClause, tenant: Tenant) -> ColumnElement[bool]:
    """Whether a row of the table is the tenant's."""
    return and_(*(table.c[name] == value for name, value in tenant.columns.items()))


def owned_by_arguments(table: FromClause) -> ColumnElement[bool]:
    """The same for a statement that is compiled once: the tenant's columns are its arguments."""
    return and_(*(table.c[name] == _argument(name) for name in Tenant.COLUMNS))


def owned_sql(alias: str = "") -> str:
    """The same in SQL as text, for a table that the statement calls so; `tenant.columns` are its arguments.

    >>> owned_sql("c")
    'c.organization_id = :organization_id AND c.environment = :environment'
    """
    prefix = f"{alias}." if alias else ""
    return " AND ".join(f"{prefix}{name} = :{name}" for name in Tenant.COLUMNS)


def owned_alike_sql(alias: str, other: str) -> str:
    """Whether the row of one table is of the same tenant as that of another, in SQL as text.

    >>> owned_alike_sql("c", "found")
    'c.organization_id = found.organization_id AND c.environment = found.environment'
    """
    return " AND ".join(f"{alias}.{name} = {other}.{name}" for name in Tenant.COLUMNS)


def _argument(name: str) -> BindParameter[str]:
    return bindparam(name, None)
