"""The SQL of what is known of answers. The trap: a page that reads a year of answers; the newest twenty thousand are
counted, from the end of an index."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import text

from pcs.base.database import Transaction
from pcs.base.owned import owned_sql
from pcs.base.tenancy import Tenant

NEWEST_ANSWERS = 20_000
_ENDINGS = text(f"""
    SELECT schedule, coalesce(left(tariff_line, 2), '') AS chapter, month, ending, count(*) AS number FROM (
        SELECT c.schedule, c.tariff_line, to_char(c.completed_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month,
               CASE c.decided_by WHEN 'precedent' THEN 'repeated' WHEN 'person' THEN 'reviewed'
                    WHEN 'engine' THEN 'taken' WHEN 'reviewer' THEN 'taken' ELSE 'open' END AS ending
          FROM classifications c
         WHERE {owned_sql("c")} AND c.status = 'completed' AND c.superseded_by IS NULL
         ORDER BY c.organization_id DESC, c.environment DESC, c.id DESC LIMIT {NEWEST_ANSWERS}) newest
     GROUP BY 1, 2, 3, 4
""")  # noqa: S608 (our own constants)


@dataclass(frozen=True, slots=True)
class EndingCount:
    """How many answers of a schedule, a chapter and a month ended in one way."""

    schedule: str
    chapter: str
    month: str
    ending: str
    number: int


async def endings(transaction: Transaction, tenant: Tenant) -> list[EndingCount]:
    """How a tenant's newest answers ended."""
    return [EndingCount(*row) for row in await transaction.execute(_ENDINGS, tenant.columns)]
