"""Substances that are named by a number: a CAS Registry Number or a UN number is put as the name that the pack has for
it. The trap: a number of something that is only in the goods ("contains 67-63-0"), and numbers of several substances,
which make a mixture; they stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pcs.engine.product import Product
from pcs.tariff.registry_numbers import is_registry_number

_CAS = r"(?i:\bCAS(?:[ .:-]{0,2}(?:number|nr|no|rn|#))?[ .:#]{0,3})?\b(?P<cas>\d{2,7}-\d{2}-\d)\b(?![-\d])"
_UN = r"\bUN(?i:[ .:-]{0,2}(?:number|nr|no|#))?[ .:#-]{0,3}(?P<un>\d{4})\b"
_NUMBER = re.compile(rf"[(\[]?(?:{_CAS}|{_UN})[)\]]?")
_INSIDE = re.compile(r"(?i)\b(?:contain\w{0,3}|ingredients?|with|for|free|without|no|not)\b[^.;\n]{0,60}\Z")
_PART = re.compile(r"(?i)\b(?:of|in|from)\b[^,.;\n]{0,60}\Z")  # a drum "in stock, CAS ..." is not in it
_NEAR = 60  # characters before a number that may tell that the goods only have to do with it
_AROUND = " ,;:-\u2013/|"


@dataclass(frozen=True, slots=True)
class _Said:
    """A number as the pack has it ("67-63-0", "UN1219"), and where it stands."""

    number: str
    start: int
    end: int


def with_names(product: Product, names: Mapping[str, str]) -> Product:
    """The product with its substance's name first in its name, or where the number stands in its description; as it is
    where no number is known, or several name several substances. `names` are the substances' by their numbers.

    >>> with_names(Product("IPA 99.9 %, drum, UN1219"), {"UN1219": "isopropyl alcohol"}).name
    'isopropyl alcohol, IPA 99.9 %, drum'
    """
    named, described = (
        [each for each in _in(text) if each.number in names] for text in (product.name, product.description)
    )
    said = [*named, *described]
    surest = [each for each in said if not each.number.startswith("UN")] or said  # UN1993 may be any such liquid
    if len({names[each.number] for each in surest}) != 1:
        return product
    name = names[surest[0].number]
    if named:
        return replace(product, name=f"{name}, {_without(product.name, named)}".strip(_AROUND))
    first, text = described[0], product.description
    return replace(product, description=f"{text[: first.start]}{name}{text[first.end :]}")


def _in(text: str) -> Iterator[_Said]:
    """The numbers in a text that name the goods."""
    for match in _NUMBER.finditer(text):
        number = match["cas"] or f"UN{match['un']}"
        before = text[max(match.start() - _NEAR, 0) : match.start()]
        if is_registry_number(number) and not _INSIDE.search(before) and not _PART.search(before):
            yield _Said(number, match.start(), match.end())


def _without(text: str, said: list[_Said]) -> str:
    """A text without these numbers."""
    kept, place = list[str](), 0
    for each in said:
        kept.append(text[place : each.start].rstrip(_AROUND))
        place = each.end
    return "".join([*kept, text[place:]]).strip(_AROUND)
