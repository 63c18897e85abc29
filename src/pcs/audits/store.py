"""All SQL of audits. The trap: reading every result of a year to add them up; the database adds, over an index that has
the compared ones alone."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import text

from pcs.audits.model import AuditTotals
from pcs.base.database import Transaction
from pcs.base.owned import owned_sql
from pcs.base.tenancy import Tenant
from pcs.engine.filed.comparison import Agreement

_TOTALS = text(f"""
    SELECT filed ->> 'agreement' AS agreement, count(*) AS number,
           count(*) FILTER (WHERE (filed ->> 'duty_difference')::double precision > 0) AS higher,
           count(*) FILTER (WHERE (filed ->> 'duty_difference')::double precision < 0) AS lower,
           coalesce(sum((filed ->> 'risk')::double precision), 0) AS risk
      FROM classifications
     WHERE {owned_sql()} AND filed IS NOT NULL AND (CAST(:batch_id AS text) IS NULL OR batch_id = :batch_id)
     GROUP BY 1
""")  # noqa: S608 (our own constants)
_RISKIEST = text(f"""
    SELECT id FROM classifications
     WHERE {owned_sql()} AND filed IS NOT NULL
     ORDER BY ((filed ->> 'priority')::double precision) DESC, id
     LIMIT :limit OFFSET :offset
""")  # noqa: S608 (our own constants)


async def totals(transaction: Transaction, tenant: Tenant, batch_id: str | None) -> AuditTotals:
    """The totals of a tenant's batch, or of all that it has with None."""
    rows = (await transaction.execute(_TOTALS, {**tenant.columns, "batch_id": batch_id})).all()
    return AuditTotals(
        {Agreement(row.agreement): row.number for row in rows},
        sum(row.higher for row in rows),
        sum(row.lower for row in rows),
        float(sum(row.risk for row in rows)),
    )


async def riskiest(transaction: Transaction, tenant: Tenant, *, limit: int, offset: int) -> Sequence[str]:
    """The ids of a tenant's compared classifications, most at stake first."""
    arguments = {**tenant.columns, "limit": limit, "offset": offset}
    return (await transaction.execute(_RISKIEST, arguments)).scalars().all()
