"""The SQL of outdated classifications. The trap: a revision that changes thousands of codes; they are one array, which
PostgreSQL hashes, and the count stops at a limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import text

from pcs.base.database import Transaction
from pcs.base.owned import owned_sql
from pcs.base.paging import Page, Slice, page
from pcs.base.tenancy import Environment, Tenant
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

_COUNTED = 10_000
_FROM = """
  FROM classifications c LEFT JOIN reviews r ON r.classification_id = c.id,
       LATERAL (SELECT coalesce(
           c.final_code, CASE WHEN r.stage IS DISTINCT FROM 'decided' THEN c.tariff_line END) AS code) final
 WHERE c.status = 'completed' AND c.schedule = :schedule AND final.code = ANY(:codes)
   AND c.result ->> 'schedule_revision' IS DISTINCT FROM :answered_since
   AND (c.product_entry_date IS NULL OR c.product_entry_date >= CURRENT_DATE)
   AND NOT EXISTS (SELECT FROM classifications again WHERE again.product_id = c.product_id
                      AND again.schedule = c.schedule AND again.id > c.id AND again.status <> 'failed')
"""
_COLUMNS = """
    c.id, c.organization_id, c.environment, c.product_id, c.product_name, c.product_identifier, final.code,
    c.result ->> 'schedule_revision' AS schedule_revision
"""
_MINE = f"AND {owned_sql('c')}"


@dataclass(frozen=True, slots=True)
class OutdatedCodes:
    """Which codes of which schedule; what was answered under the revision named last is left out."""

    schedule: ScheduleName
    codes: tuple[Code, ...]
    answered_since: str | None

    @property
    def arguments(self) -> dict[str, Any]:
        """What the statements call them."""
        return {"schedule": self.schedule, "codes": list(self.codes), "answered_since": self.answered_since}


@dataclass(frozen=True, slots=True)
class Outdated:
    """A completed classification and the code that counts: the machine's, or a person's correction."""

    id: str
    tenant: Tenant
    product_id: str
    product_name: str
    product_identifier: str | None
    code: Code
    schedule_revision: str


async def list_page(
    transaction: Transaction, tenant: Tenant | None, question: OutdatedCodes, wanted: Slice
) -> Page[Outdated]:
    """Those of a tenant, or of all with None, newest first."""
    after = "" if wanted.after is None else "AND c.id < :after"
    query = f"SELECT {_COLUMNS} {_FROM} {_mine(tenant)} {after} ORDER BY c.id DESC LIMIT :limit"
    arguments = _arguments(tenant, question) | {"after": wanted.after, "limit": wanted.limit + 1}
    rows = (await transaction.execute(text(query), arguments)).mappings()
    found = [
        Outdated(
            id=row["id"],
            tenant=Tenant(row["organization_id"], Environment(row["environment"])),
            product_id=row["product_id"],
            product_name=row["product_name"],
            product_identifier=row["product_identifier"],
            code=Code(row["code"]),
            schedule_revision=row["schedule_revision"] or "",
        )
        for row in rows
    ]
    return page(found, wanted, lambda one: one.id)


def counted_by_code() -> str:
    """The statement that counts them for each tenant and code."""
    columns = "c.organization_id, c.environment, final.code"
    return f"SELECT {columns}, count(*) AS number {_FROM} GROUP BY {columns}"


async def count(transaction: Transaction, tenant: Tenant | None, question: OutdatedCodes) -> int:
    """How many there are; counts no further than ten thousand."""
    query = f"SELECT count(*) FROM (SELECT 1 {_FROM} {_mine(tenant)} LIMIT {_COUNTED}) counted"  # noqa: S608 (our own constants)
    counted: int = (await transaction.execute(text(query), _arguments(tenant, question))).scalar_one()
    return counted


def _mine(tenant: Tenant | None) -> str:
    return "" if tenant is None else _MINE


def _arguments(tenant: Tenant | None, question: OutdatedCodes) -> dict[str, Any]:
    return question.arguments | ({} if tenant is None else tenant.columns)
