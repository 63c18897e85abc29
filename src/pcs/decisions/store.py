"""All SQL of decisions. The trap: a look-up that grows with the catalogue; of each word the newest few are read from
the end of an index, so a million decisions cost what a thousand do."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Identity, LargeBinary, Table, Text, delete, select, text
from sqlalchemy.engine import Row

from pcs.base.database import MOMENT, Insertion, Prepared, Transaction, metadata
from pcs.base.owned import owned, owned_sql
from pcs.base.paging import Page, Slice, page
from pcs.base.tenancy import Tenant
from pcs.decisions.model import DecisionSource, KeptDecision, NewDecision, goods_key, term_keys, text_key
from pcs.engine.decided import MOST_LOOKED_AT, NEWEST_OF_A_KEY, lookup_keys
from pcs.products.model import ProductFields
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

decisions = Table(
    "decisions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("number", BigInteger, Identity(always=True), nullable=False),
    Column("organization_id", ForeignKey("organizations.id"), primary_key=True),
    Column("environment", Text, primary_key=True),
    Column("schedule", Text, nullable=False),
    Column("code", Text, nullable=False),
    Column("words", Text),
    Column("revision", Text, nullable=False),
    Column("identifier", Text),
    Column("name", Text, nullable=False),
    Column("description", Text),
    Column("text_key", LargeBinary, nullable=False),
    Column("goods_key", LargeBinary, nullable=False),
    Column("source", Text, nullable=False),
    Column("decided_by", Text, nullable=False),
    Column("decided_at", MOMENT, nullable=False),
    Column("classification_id", Text),
    Column("contradicted", Boolean, nullable=False, server_default="false"),
)
decision_terms = Table(
    "decision_terms",
    metadata,
    Column("term", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
)

_GIVEN = {
    **dict.fromkeys(("id", "schedule", "code", "words", "revision", "identifier", "name", "description"), "text"),
    **dict.fromkeys(("text_key", "goods_key"), "bytea"),
    **dict.fromkeys(("source", "decided_by", "classification_id"), "text"),
}
_RENEWED = (
    "code",
    "words",
    "revision",
    "name",
    "description",
    "source",
    "decided_by",
    "decided_at",
    "classification_id",
)
_NAMES = ", ".join(_GIVEN)
_ARRAYS = ", ".join(f"CAST(:{name} AS {kind}[])" for name, kind in _GIVEN.items())
_SET = ", ".join(f"{name} = excluded.{name}" for name in _RENEWED)
_PUT = Prepared(
    text(f"""
    INSERT INTO decisions ({_NAMES}, organization_id, environment, decided_at)
    SELECT given.*, CAST(:organization_id AS text), CAST(:environment AS text), CAST(:now AS timestamptz)
      FROM unnest({_ARRAYS}) AS given
    ON CONFLICT (organization_id, environment, schedule, goods_key) DO UPDATE SET {_SET}
    RETURNING number, schedule, name, xmax = 0 AS added
    """)  # noqa: S608 (our own constants)
)
_ADD_TERMS = Insertion(decision_terms)
_ONE_AT_A_TIME = Prepared(text("SELECT pg_advisory_xact_lock(hashtextextended(:whose, 20))"))
# OFFSET 0 has the database take the index of the key and look whose the rows are afterwards: it cannot know how many
# rows an organization has, and would read them all.
_MARK = Prepared(
    text(f"""
    UPDATE decisions d SET contradicted = alike.differ
      FROM (SELECT DISTINCT * FROM unnest(CAST(:texts AS bytea[]))) AS said (text_key), LATERAL (
           SELECT o.number, o.contradicted, min(o.code) OVER () <> max(o.code) OVER () AS differ
             FROM (SELECT * FROM decisions WHERE text_key = said.text_key OFFSET 0) o WHERE {owned_sql("o")}) alike
     WHERE d.number = alike.number AND alike.differ <> alike.contradicted
    """)  # noqa: S608 (our own constants)
)
_NEAR = Prepared(
    text(f"""
    WITH looked_at AS (
        SELECT found.number, sum(1.0 / found.times) AS rareness
          FROM unnest(CAST(:terms AS bigint[])) AS wanted (term), LATERAL (
            SELECT newest.number, count(*) OVER () AS times FROM (
                SELECT number FROM decision_terms WHERE term = wanted.term ORDER BY number DESC LIMIT {NEWEST_OF_A_KEY}
            ) newest) found
         GROUP BY found.number ORDER BY rareness DESC, found.number DESC LIMIT {MOST_LOOKED_AT}
    ), same AS (
        SELECT number FROM (SELECT * FROM decisions WHERE text_key = :text_key OFFSET 0) alike WHERE {owned_sql()}
         ORDER BY decided_at DESC, number DESC LIMIT {NEWEST_OF_A_KEY}
    )
    SELECT d.id, d.name, d.code, d.words, d.decided_at, d.source, d.text_key = :text_key AS same_text,
           d.goods_key = :goods_key AS same_goods
      FROM (SELECT number FROM same UNION SELECT number FROM looked_at) wanted
      JOIN LATERAL (SELECT * FROM decisions WHERE number = wanted.number OFFSET 0) d ON true
     WHERE {owned_sql("d")} AND d.schedule = :schedule
     ORDER BY same_text DESC, d.decided_at DESC, d.number DESC
    """)  # noqa: S608 (our own constants)
)


@dataclass(frozen=True, slots=True)
class Filters:
    """Which decisions to list: of a schedule, with a code that begins so, with an identifier, with a contradiction."""

    schedule: ScheduleName | None = None
    code: str = ""
    identifier: str | None = None
    contradicted: bool = False


async def put(
    transaction: Transaction, tenant: Tenant, given: Mapping[str, NewDecision], *, now: dt.datetime
) -> tuple[int, int]:
    """Store decisions by their ids, each in the place of an earlier one on the same goods; how many are new, and how
    many took an earlier one's place."""
    rows = [_row(tenant, decision_id, one) for decision_id, one in given.items()]
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in _GIVEN}
    await _ONE_AT_A_TIME.run(transaction, whose="/".join(tenant.columns.values()))
    kept = await _PUT.rows(transaction, **columns, **tenant.columns, now=now)
    added = [row for row in kept if row["added"]]
    terms = [
        {"term": term, "number": row["number"]}
        for row in added
        for term in term_keys(tenant, row["schedule"], lookup_keys(row["name"]))
    ]
    await _ADD_TERMS.post(transaction, terms)
    await _MARK.run(transaction, **tenant.columns, texts=[row["text_key"] for row in rows])
    return len(added), len(kept) - len(added)


async def near(
    transaction: Transaction, asked: Sequence[tuple[Tenant, ScheduleName, ProductFields]]
) -> list[list[dict[str, Any]]]:
    """For each its tenant's decisions on the same text, newest first, then those that the rarest words lead to."""
    return await _NEAR.each(transaction, [_looking(*one) for one in asked])


def _looking(tenant: Tenant, schedule: ScheduleName, goods: ProductFields) -> dict[str, Any]:
    return {
        **tenant.columns,
        "schedule": schedule,
        "text_key": text_key(tenant, schedule, goods),
        "goods_key": goods_key(goods),
        "terms": term_keys(tenant, schedule, lookup_keys(goods.name)),
    }


async def list_page(transaction: Transaction, tenant: Tenant, filters: Filters, wanted: Slice) -> Page[KeptDecision]:
    """A tenant's decisions, newest first."""
    query = select(decisions).where(owned(decisions, tenant))
    if filters.schedule is not None:
        query = query.where(decisions.c.schedule == filters.schedule)
    if filters.code:
        query = query.where(decisions.c.code.startswith(filters.code, autoescape=True))
    if filters.identifier is not None:
        query = query.where(decisions.c.identifier == filters.identifier)
    if filters.contradicted:
        query = query.where(decisions.c.contradicted)
    rows = (await transaction.execute(wanted.of(query, decisions.c.id))).all()
    return page([_decision(row) for row in rows], wanted, lambda one: one.id)


async def get(transaction: Transaction, tenant: Tenant, decision_id: str) -> KeptDecision | None:
    """A tenant's decision."""
    query = select(decisions).where(owned(decisions, tenant), decisions.c.id == decision_id)
    row = (await transaction.execute(query)).one_or_none()
    return None if row is None else _decision(row)


async def remove(transaction: Transaction, tenant: Tenant, **which: str) -> bool:
    """Delete a tenant's decision, named by its `id` or its `classification_id`; False where there is none."""
    chosen = [decisions.c[name] == value for name, value in which.items()]
    query = delete(decisions).where(owned(decisions, tenant), *chosen)
    columns = (decisions.c.number, decisions.c.schedule, decisions.c.name, decisions.c.text_key)
    row = (await transaction.execute(query.returning(*columns))).one_or_none()
    if row is None:
        return False
    terms = term_keys(tenant, row.schedule, lookup_keys(row.name))
    found_by = delete(decision_terms).where(decision_terms.c.number == row.number, decision_terms.c.term.in_(terms))
    await transaction.execute(found_by)
    await _MARK.run(transaction, **tenant.columns, texts=[row.text_key])
    return True


def _row(tenant: Tenant, decision_id: str, one: NewDecision) -> dict[str, Any]:
    return {
        "id": decision_id,
        "schedule": one.schedule,
        "code": one.code,
        "words": one.words,
        "revision": one.revision,
        "identifier": one.goods.identifier,
        "name": one.goods.name,
        "description": one.goods.description,
        "text_key": text_key(tenant, one.schedule, one.goods),
        "goods_key": goods_key(one.goods),
        "source": one.source,
        "decided_by": one.by,
        "classification_id": one.classification_id,
    }


def _decision(row: Row[Any]) -> KeptDecision:
    decided = NewDecision(
        goods=ProductFields(name=row.name, description=row.description, identifier=row.identifier),
        schedule=ScheduleName(row.schedule),
        code=Code(row.code),
        words=row.words,
        revision=row.revision,
        source=DecisionSource(row.source),
        by=row.decided_by,
        classification_id=row.classification_id,
    )
    return KeptDecision(row.id, decided, row.decided_at, row.contradicted)
