"""Rates of duty as numbers. The trap: a rate by weight, or one that has a condition, compared as if it were a share of
the value; only a rate that is nothing but a percentage, or free, is a number here."""

from __future__ import annotations

import re
from decimal import Decimal

_FREE = frozenset({"free", "frei", "exemption"})
_PERCENTAGE = re.compile(r"(\d{1,4}(?:[.,]\d{1,4})?)\s?%")


def ad_valorem(rate: str) -> Decimal | None:
    """The percentage of the value that a published rate takes; None for any other rate.

    >>> ad_valorem("16.5%"), ad_valorem("Free"), ad_valorem("4.4¢/kg + 6%")
    (Decimal('16.5'), Decimal('0'), None)
    """
    words = rate.strip().casefold()
    if words in _FREE:
        return Decimal(0)
    found = _PERCENTAGE.fullmatch(words)
    return Decimal(found[1].replace(",", ".")) if found else None
