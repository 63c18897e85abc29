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
    """Where a decision comes from: a person's review, a person's file, or a language model's assessment."""

    REVIEW = "review"
    FILE = "file"
    ASSESSMENT = "assessment"


@dataclass(frozen=True, slots=True)
class NewDecision:
    """Goods and the code decided for them. `words` are the line's in the `revision` under which it was decided, empty
    where that has no such line, None where nobody looked; `by` is a key or a member."""

    goods: ProductFields
    schedule: ScheduleName
    code: Code
    words: str | None
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


def text_key(tenant: Tenant, schedule: ScheduleName, goods: ProductFields) -> bytes:
    """What a tenant's goods have in common whose texts and attributes differ in case and spacing alone; no other tenant
    and no other schedule has the same."""
    return _key(*_whose(tenant, schedule), *_said(goods))


def goods_key(goods: ProductFields) -> bytes:
    """What goods of one text and one identifier have in common, whoever's they are."""
    return _key(goods.identifier or "", *_said(goods))


def term_keys(tenant: Tenant, schedule: ScheduleName, terms: tuple[str, ...]) -> list[int]:
    """What a tenant's decisions under a schedule are found by, one number a term: no other tenant has the same."""
    whose = _whose(tenant, schedule)
    return [int.from_bytes(_key(*whose, term)[:8], signed=True) for term in terms]


def _whose(tenant: Tenant, schedule: ScheduleName) -> tuple[str, str, str]:
    return tenant.organization_id, tenant.environment, schedule


def _said(goods: ProductFields) -> tuple[str, ...]:
    """Name, description and attributes: all that the reading takes its facts from."""
    said = (f"{name}: {value}" for name, value in sorted(goods.attributes.items()))
    return tuple(map(_plain, (goods.name, goods.description or "", *said)))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _key(*parts: str) -> bytes:
    return sha256("\0".join(parts).encode()).digest()[:_KEY_BYTES]
