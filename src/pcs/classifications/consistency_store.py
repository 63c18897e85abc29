"""The SQL of variants: which codes a group of them has, and whether lists show it as inconsistent.

The trap: a group of ten thousand variants of one shirt, read anew as each of them ends; the codes are found by as many
steps into an index as there are codes, and rows are written only where the verdict changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import text

from pcs.base.database import Prepared, Transaction
from pcs.base.owned import owned_sql
from pcs.base.tenancy import Tenant

MOST_CODES, MOST_OF_A_CODE = 6, 3

_CODE = "coalesce(c.final_code, c.tariff_line)"
_DECIDED = "coalesce(c.decided_by IN ('person', 'precedent'), false)"
_GROUP = f"c.variant_key = wanted.key AND c.superseded_by IS NULL AND {owned_sql('c')}"
_ORDER = f"ORDER BY c.variant_key, {_CODE}, c.id"
_NEWEST = f"ORDER BY c.variant_key DESC, {_CODE} DESC, c.id DESC"
_ONE_AT_A_TIME = Prepared(
    text(
        "SELECT pg_advisory_xact_lock(hashtextextended(encode(key, 'hex'), 22))"
        " FROM unnest(CAST(:keys AS bytea[])) AS group_of (key)"
    )
)
_MEMBERS = Prepared(
    text(f"""
    SELECT wanted.key, member.* FROM unnest(CAST(:keys AS bytea[])) AS wanted (key), LATERAL (
        WITH RECURSIVE codes (code, number) AS (
            (SELECT {_CODE}, 1 FROM classifications c WHERE {_GROUP} {_ORDER} LIMIT 1)
            UNION ALL
            SELECT (SELECT {_CODE} FROM classifications c WHERE {_GROUP} AND {_CODE} > codes.code {_ORDER} LIMIT 1),
                   number + 1
              FROM codes WHERE codes.code IS NOT NULL AND number < {MOST_CODES})
        SELECT codes.code, one.* FROM codes, LATERAL (
            SELECT c.id, c.product_name, c.product_description, c.product_attributes,
                   coalesce(nullif(c.final_description, ''), c.description, '') AS description,
                   {_DECIDED} AS decided
              FROM classifications c WHERE {_GROUP} AND {_CODE} = codes.code {_NEWEST} LIMIT {MOST_OF_A_CODE}) one
        ) member
    """)  # noqa: S608 (our own constants)
)
_JOIN = Prepared(text(f"UPDATE classifications SET variant_key = :key WHERE id = :id AND {owned_sql()}"))  # noqa: S608
_LEAVE = Prepared(
    text(
        "UPDATE classifications SET variant_key = NULL, inconsistent = false "  # noqa: S608 (our own constants)
        f"WHERE id = :id AND {owned_sql()}"
    )
)
_MARK = Prepared(
    text(f"""
    UPDATE classifications c SET inconsistent = verdict.inconsistent AND NOT {_DECIDED}
      FROM unnest(CAST(:keys AS bytea[]), CAST(:verdicts AS boolean[])) AS verdict (key, inconsistent)
     WHERE c.variant_key = verdict.key AND c.superseded_by IS NULL AND {owned_sql("c")}
       AND c.inconsistent <> (verdict.inconsistent AND NOT {_DECIDED})
    """)  # noqa: S608 (our own constants)
)


async def hold(transaction: Transaction, keys: Sequence[bytes]) -> None:
    """Let whoever else changes these groups of variants wait for the end of this transaction, in the order given."""
    await _ONE_AT_A_TIME.post(transaction, keys=list(keys))


async def members(transaction: Transaction, tenant: Tenant, keys: Sequence[bytes]) -> list[dict[str, Any]]:
    """The newest few of each code that each of a tenant's groups has."""
    return await _MEMBERS.rows(transaction, keys=list(keys), **tenant.columns) if keys else []


async def join(transaction: Transaction, tenant: Tenant, classification_id: str, key: bytes) -> None:
    """Put a tenant's classification into a group of variants."""
    await _JOIN.run(transaction, id=classification_id, key=key, **tenant.columns)


async def leave(transaction: Transaction, tenant: Tenant, classification_id: str) -> None:
    """Take a tenant's classification out of its group."""
    await _LEAVE.run(transaction, id=classification_id, **tenant.columns)


async def mark(transaction: Transaction, tenant: Tenant, verdicts: Mapping[bytes, bool]) -> None:
    """Store whether groups are inconsistent, where that is another than before; what people decided is not asked
    again."""
    if verdicts:
        await _MARK.post(transaction, keys=list(verdicts), verdicts=list(verdicts.values()), **tenant.columns)
