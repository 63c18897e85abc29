"""What a text says about one part of the goods, as tokens: what may answer a question about that part. The trap: a
filler of another part; "cotton lining" says nothing about the outer surface."""

from __future__ import annotations

import re
from functools import lru_cache

from pcs.engine.reading.materials import MAIN, Material, materials
from pcs.engine.reading.polarity import DENIED, affirmed, signed_words
from pcs.engine.text import plain

EVERYTHING = ""  # the slot of a question that is about no part
OUTERMOST = frozenset({MAIN, "outer"})  # goods are of what their outside is of

_AT_ONCE = 64
_NUMBER = re.compile(r"(?<![\w.,])\d[\d.,/+-]*(?![\w%])")


def told(text: str, slot: str) -> tuple[str, ...]:
    """The signed stems, numbers at their end, that a text says of a slot.

    Of the goods themselves (MAIN, "outer") it is all but the fillers of other slots; of another slot its own fillers,
    and where there are none, materials that no slot was said for.

    >>> told("leather bag, cotton lining", "outer"), told("leather bag, cotton lining", "lining")
    (('leather', 'bag', 'line'), ('cotton',))
    """
    return _told(text, slot)


@lru_cache(maxsize=_AT_ONCE)
def _told(text: str, slot: str) -> tuple[str, ...]:
    if slot == EVERYTHING:
        return (*signed_words(text), *_numbers(text))
    found = materials(text)
    denied = tuple(word for word in signed_words(text) if word.startswith(DENIED))
    if slot in OUTERMOST:
        others = [material for material in found if material.slot not in OUTERMOST or material.lesser]
        return (*signed_words(_without(text, others)), *denied, *_numbers(text))
    own = [material for material in found if material.slot == slot and not material.lesser]
    if not own:
        own = [material for material in found if material.slot == MAIN and not material.lesser]
    return (*(word for material in own for word in material.stems), *denied)


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
