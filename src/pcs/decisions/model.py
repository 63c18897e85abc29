"""A decision: the code under which an organization declares some goods.

The trap: "the same goods" told in two ways; here is the one key of a text and the one key of goods."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from pcs.base.tenancy import Tenant
from pcs.products.model import ProductFields
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

DECISION = "dec"
_KEY_BYTES = 16


class DecisionSource(StrEnum):
    """Where a decision comes from."""

    REVIEW = "review"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class NewDecision:
    """Goods and the code decided for them. `words` are the line's in the `revision` under which it was decided, empty
    where that has no such line; `by` is a key or a member."""

    goods: ProductFields
    schedule: ScheduleName
    code: Code
    words: str
    revision: str
    source: DecisionSource
    by: str
    classification_id: str | None = None


@dataclass(frozen=True, slots=True)
class KeptDecision:
    """A decision that is kept. `contradicted` says that the same text was decided otherwise, too."""

    id: str
    decided: NewDecision
    decided_at: dt.datetime
    contradicted: bool = False


def text_key(goods: ProductFields) -> bytes:
    """What texts have in common that differ in case and spacing alone.

    >>> text_key(ProductFields(name="Blue  MUG", description="")) == text_key(ProductFields(name="blue mug"))
    True
    """
    return _key(_plain(goods.name), _plain(goods.description or ""))


def goods_key(goods: ProductFields) -> bytes:
    """The same of goods: of one text and one identifier."""
    return _key(goods.identifier or "", _plain(goods.name), _plain(goods.description or ""))


def term_keys(tenant: Tenant, schedule: ScheduleName, terms: tuple[str, ...]) -> list[int]:
    """What a tenant's decisions under a schedule are found by, one number a term: no other tenant has the same."""
    whose = (tenant.organization_id, tenant.environment, schedule)
    return [int.from_bytes(_key(*whose, term)[:8], signed=True) for term in terms]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _key(*parts: str) -> bytes:
    return sha256("\0".join(parts).encode()).digest()[:_KEY_BYTES]
