"""What can be done with decisions: remember them, find those on goods near, forget them.

The trap: two decisions on the same goods in one file; the later row counts, as the later file would."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.errors import NotFoundError
from pcs.base.paging import Page, Slice
from pcs.base.tenancy import Tenant
from pcs.decisions import store
from pcs.decisions.model import DECISION, DecisionSource, KeptDecision, NewDecision, goods_key
from pcs.decisions.store import Filters
from pcs.engine.decided import Decided, Sameness
from pcs.products.model import ProductFields
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName


@dataclass(frozen=True, slots=True)
class Remembered:
    """How many decisions are new, and how many took the place of an earlier one on the same goods."""

    added: int
    changed: int


async def remember(
    transaction: Transaction, tenant: Tenant, decided: Iterable[NewDecision], *, now: dt.datetime
) -> Remembered:
    """Keep decisions, each in the place of an earlier one on the same goods; of two among these the later counts."""
    latest = {(one.schedule, goods_key(one.goods)): one for one in decided}
    if not latest:
        return Remembered(0, 0)
    named = dict(zip(ids.new_ids(DECISION, len(latest)), latest.values(), strict=True))
    return Remembered(*await store.put(transaction, tenant, named, now=now))


async def near(
    transaction: Transaction, asked: Sequence[tuple[Tenant, ScheduleName, ProductFields]]
) -> list[tuple[Decided, ...]]:
    """For each, what its tenant decided of the same goods, newest first, and of goods near (110 at most)."""
    return [tuple(map(_decided, rows)) for rows in await store.near(transaction, asked)]


def _decided(row: Mapping[str, Any]) -> Decided:
    return Decided(
        reference=row["id"],
        name=row["name"],
        code=Code(row["code"]),
        words=row["words"],
        decided_at=row["decided_at"].date(),
        sameness=Sameness(row["same_text"] + row["same_goods"]),
        by_model=row["source"] == DecisionSource.ASSESSMENT,
    )


async def list_page(transaction: Transaction, tenant: Tenant, filters: Filters, wanted: Slice) -> Page[KeptDecision]:
    """A tenant's decisions, newest first."""
    return await store.list_page(transaction, tenant, filters, wanted)


async def remove(transaction: Transaction, tenant: Tenant, decision_id: str) -> None:
    """Forget a tenant's decision: from then on it counts for nothing. Raises NotFoundError."""
    if not ids.is_id(DECISION, decision_id) or not await store.remove(transaction, tenant, id=decision_id):
        msg = f"There is no decision {decision_id}."
        raise NotFoundError(msg)


async def withdraw(transaction: Transaction, tenant: Tenant, classification_id: str) -> None:
    """Forget what was decided by the review of a classification, where it was."""
    await store.remove(transaction, tenant, classification_id=classification_id)
