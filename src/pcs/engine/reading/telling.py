"""A reading in a broker's words: what the goods are called, what each part is made of, what is measured, what is
denied, what they are for. The trap: a stem or a slot's name that only the engine knows; what is told stands in what was
said, or is a word of the trade."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import TypeVar

from pcs.engine.reading.materials import MAIN, SLOTS, Material
from pcs.engine.reading.polarity import affirmed
from pcs.engine.reading.quantities import Quantity
from pcs.engine.reading.reading import Reading
from pcs.engine.reading.understood import MadeOf, Measure, Understood
from pcs.engine.text import plain, purposes

T = TypeVar("T")

_AT_ONCE = 64
_MOST = 12  # of a kind
_LONGEST = 120  # characters of one
_PARTS = {MAIN: "", "outer": "outer surface"}
_WHAT = {"mass": "weight", "mass per area": "weight per area", "length": "size"}
_NEXT_WORD = re.compile(r"\W{0,3}([a-z']{1,40})")


@lru_cache(maxsize=_AT_ONCE)
def understood(reading: Reading) -> Understood:
    """The reading in words, at most a dozen of each kind. Pure, and linear in the length of what was said.

    >>> from pcs.engine.product import Product
    >>> from pcs.engine.reading.reading import reading_of
    >>> found = understood(reading_of(Product("Handbag, outer surface of cow leather, 60% cotton lining, no zipper")))
    >>> found.goods, [(each.part, each.material, each.share) for each in found.made_of], found.denied
    ('handbag', [('outer surface', 'cow leather', None), ('lining', 'cotton', 60.0)], ('zipper',))
    """
    said = plain(affirmed(reading.text))
    return Understood(
        goods=_short(reading.head or reading.name),
        made_of=_first(_materials(said, reading.materials)),
        measures=_first(_measures(said, reading.quantities)),
        denied=_first(map(_short, reading.denied)),
        purpose=_first(map(_short, purposes(affirmed(reading.text)))),
        language=reading.language,
    )


def _materials(said: str, materials: Iterable[Material]) -> Iterator[MadeOf]:
    """Each material once a part, the goods' own first."""
    found = {(each.slot, each.stems, each.share): each for each in reversed(tuple(materials))}
    ordered = sorted(found.values(), key=lambda each: (each.slot != MAIN, each.start))
    yield from (MadeOf(_part(said, each), _short(said[each.start : each.end]), each.share) for each in ordered)


def _part(said: str, material: Material) -> str:
    """The part's name; of one that has none here, the word that was said after the material."""
    if material.slot in SLOTS:
        return _PARTS.get(material.slot, material.slot)
    word = _NEXT_WORD.match(said, material.end)
    return word[1] if word else material.slot


def _measures(said: str, quantities: Iterable[Quantity]) -> Iterator[Measure]:
    for each in quantities:
        value = _short(said[each.start : each.end])
        if each.dimension == "share":
            if each.measures:
                yield Measure(each.measures, value)  # a share of nothing named is a material's, told there
        elif each.dimension == "value":
            yield Measure("value", value)
        else:
            yield Measure(each.measures or _WHAT.get(each.dimension, each.dimension), value)


def _first(found: Iterable[T]) -> tuple[T, ...]:
    """The first dozen that differ."""
    return tuple(islice(dict.fromkeys(found), _MOST))


def _short(text: str) -> str:
    told = " ".join(text[: 4 * _LONGEST].split()).strip(" :;,-")
    return told if len(told) <= _LONGEST else told[:_LONGEST].rsplit(" ", 1)[0] + " ..."
