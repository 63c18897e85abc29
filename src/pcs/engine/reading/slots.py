"""What a text says about one part of the goods, as tokens: what may answer a question about that part. The trap: a
filler of another part; "cotton lining" says nothing about the outer surface."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from pcs.engine.reading.materials import MAIN, SLOTS, Material, materials
from pcs.engine.reading.polarity import ALIKE, BOUNDARY, DENIED, affirmed, signed_phrases, signed_words
from pcs.engine.reading.quantities import DIMENSIONS, LENGTHS
from pcs.engine.reading.reading import Reading
from pcs.engine.text import plain, purposes, without_purpose

ANYTHING = "any"  # the slot of a question that is about no part and no measure
GOODS, USE = "goods", "use"
OUTERMOST = frozenset({MAIN, "outer"})  # goods are of what their outside is of
MEASURES: dict[str, tuple[str, str | None]] = {
    **{name: (name, None) for name in DIMENSIONS},
    **{name: ("length", name) for name in LENGTHS},
    "weight": ("mass", None),
    "grammage": ("mass per area", None),
}
"""Slots that are a number: the dimension, and what it measures where that must be said."""
_SHARE_OF = "share of "

_AT_ONCE = 64
_HAS = re.compile(r"\b(?:with|including|featuring|having)\b[^.;|\n]*", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.,])\d[\d.,/+-]*(?![\w%])")


def is_slot(name: str) -> bool:
    """Whether a question may ask about this."""
    return name in SLOTS or name in MEASURES or name in {ANYTHING, GOODS, USE} or name.startswith(_SHARE_OF)


def measure_of(slot: str) -> tuple[str, str | None] | None:
    """The dimension that a slot's numbers are of and what they measure; None where a slot is no measure."""
    if slot.startswith(_SHARE_OF):
        return "share", slot.removeprefix(_SHARE_OF)
    return MEASURES.get(slot)


def told_of(slot: str) -> str:
    """The slot of which the same is told as of this one."""
    return slot if slot in {GOODS, USE} or slot in SLOTS else ANYTHING


def tellings(reading: Reading, slot: str) -> Iterator[tuple[str, ...]]:
    """What a product says of a slot, as stems, the most telling first: where that answers, the rest is not asked.

    What goods are is told by what they are called before it is told by their description, what they are for by
    "for ..." first.
    """
    if slot == GOODS:
        yield told(reading.head, ANYTHING)
        yield told(themselves(reading.name), ANYTHING)
        yield told(themselves(reading.text), ANYTHING)
    elif slot == USE:
        yield told(" , ".join(purposes(reading.text)), ANYTHING)
        yield told(reading.text, ANYTHING)
    else:
        yield told(reading.text, told_of(slot))


@lru_cache(maxsize=_AT_ONCE)
def told(text: str, slot: str) -> tuple[str, ...]:
    """The signed stems, numbers at their end, that a text says of a part.

    Of the goods themselves (MAIN, "outer") it is all but the fillers of other parts; of another part its own fillers,
    and where there are none, materials that no part was said for.

    >>> told("leather bag, cotton lining", "outer")[:3], told("leather bag, cotton lining", "lining")
    (('leather', 'bag', '/'), ('cotton',))
    """
    if slot == ANYTHING:
        return (*signed_phrases(text), BOUNDARY, *_numbers(text))
    found = materials(text)
    denied = tuple(word for word in signed_words(text) if word.startswith(DENIED))
    if slot in OUTERMOST:
        others = [material for material in found if material.slot not in OUTERMOST or material.lesser]
        return (*signed_phrases(_without(text, others)), BOUNDARY, *denied, *_numbers(text))
    own = [material for material in found if material.slot == slot and not material.lesser]
    if not own:
        own = [material for material in found if material.slot == MAIN and not material.lesser]
    return (*(ALIKE.get(word, word) for material in own for word in material.stems), *denied)


def themselves(text: str) -> str:
    """A text without what goods have and are for: a sewing machine with a needle threader is not a needle."""
    return without_purpose(_HAS.sub(" ", text))


def _without(text: str, left_out: list[Material]) -> str:
    """The affirmed text without these materials."""
    said, kept, place = plain(affirmed(text)), list[str](), 0
    for material in left_out:
        kept.append(said[place : material.start])
        place = material.end
    return " ".join([*kept, said[place:]])


def _numbers(text: str) -> tuple[str, ...]:
    """Numbers without a unit, such as an alloy's or a bearing's."""
    return tuple(_NUMBER.findall(plain(affirmed(text))))
