"""What a provision's own words require of goods: intervals, materials of a part, words it denies; and whether a reading
meets or contradicts them. The trap: a word of the provision taken for a requirement where it is none ("whether or not
bleached", "for working wood"); only what can be compared with a said fact is one."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import astuple, dataclass
from typing import Any, Self

from pcs.base.same import Same
from pcs.engine.reading.materials import Material, materials
from pcs.engine.reading.polarity import DENIED, may_deny, signed_words
from pcs.engine.reading.quantities import Quantity, quantities
from pcs.engine.reading.reading import Reading
from pcs.engine.reading.slots import OUTERMOST
from pcs.engine.reading.substances import is_kind_of
from pcs.engine.text import plain

_EITHER_WAY = re.compile(r"\bwhether or not\b[^,;:]*")
_BY_SHARE = re.compile(r"%|\bper ?cent\b|\bcontaining\b|\bmixed\b")
_GROUPS = re.compile(r"(?<=\d) (?=\d{3}\b)")  # 1 500 cm3, as the European Union writes it
_MADE = r"(?<!manufacture )(?<!working )(?<!production )(?<!finishing )(?<!treatment )\bof"
_OF = re.compile(rf"{_MADE}(?: (?:other|woven|knitted|a|any|composition|solely|chiefly|mainly|fine|natural))*\W*$")


_SAME = Same()  # what provisions ask of parts

Row = tuple[Sequence[Sequence[Any]], Sequence[tuple[str, Sequence[str]]], Sequence[str]]
"""Terms as plain values."""


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """The requirements of one provision: intervals, the families of materials that it asks of each part, and what it
    denies, as stems."""

    intervals: tuple[Quantity, ...]
    families: tuple[tuple[str, frozenset[str]], ...]
    denied: tuple[str, ...]

    def row(self) -> Row:
        """As a row of plain values, to be stored."""
        families = [(slot, sorted(families)) for slot, families in self.families]
        return [astuple(each) for each in self.intervals], families, self.denied

    @classmethod
    def from_row(cls, row: Row) -> Self:
        """What `row()` stored."""
        intervals, families, denied = row
        found = _SAME[tuple((slot, frozenset(each)) for slot, each in families)]
        return cls(tuple(Quantity(*each) for each in intervals), found, tuple(denied))

    @property
    def asks(self) -> bool:
        """Whether it requires anything, of goods that are not said not to be something."""
        return bool(self.intervals or self.families or self.denied)


@dataclass(frozen=True, slots=True)
class Verdict:
    """How many requirements a reading meets, how many it contradicts, and how many intervals it lies outside of."""

    met: int
    contradicted: int
    outside: int = 0


NOTHING = Verdict(0, 0)


def terms_of(text: str) -> Terms:
    """What the words of one provision require."""
    said = _compared(text)
    ranges = tuple(each for each in quantities(said) if each.low != each.high and each.dimension != "share")
    signed = signed_words(said) if may_deny(said) else ()
    denied = dict.fromkeys(word.removeprefix(DENIED) for word in signed if word.startswith(DENIED))
    return Terms(ranges, _of_parts(_required(said)), tuple(denied))


def affirmed_in(text: str) -> Collection[str]:
    """The stems of what a provision does not deny."""
    return dict.fromkeys(word for word in signed_words(_compared(text)) if not word.startswith(DENIED))


def _compared(text: str) -> str:
    """A provision's words as they are read, without what it leaves open."""
    return _GROUPS.sub("", _EITHER_WAY.sub(" ", plain(text)))


def _of_parts(required: Sequence[Material]) -> tuple[tuple[str, frozenset[str]], ...]:
    """The families that are asked of each part; many provisions ask the same."""
    slots = dict.fromkeys(material.slot for material in required)
    found = tuple((slot, frozenset(each.family for each in required if _same_part(each.slot, slot))) for slot in slots)
    same: tuple[tuple[str, frozenset[str]], ...] = _SAME[found]
    return same


def _required(said: str) -> tuple[Material, ...]:
    """The materials that a provision is about: "of cotton", "with outer surface of leather"; not those by share."""
    if "of " not in said or _BY_SHARE.search(said):
        return ()
    found = materials(said)
    if not found or not _OF.search(said[: found[0].start]):
        return ()
    return found


class SaidWords:
    """A reading as provisions are compared with it: the stems of what it affirms and of what it denies, its quantities,
    whether a part is spoken of, and the families of each part."""

    def __init__(self, reading: Reading) -> None:
        signed = frozenset(signed_words(reading.text))
        self.denied = frozenset(word.removeprefix(DENIED) for word in signed if word.startswith(DENIED))
        self.affirmed = frozenset(word for word in signed if not word.startswith(DENIED))
        self.quantities, self.part = reading.quantities, reading.part
        self._materials = reading.materials
        self._families: dict[str, frozenset[str]] = {}
        self._verdicts: dict[Terms, Verdict] = {}

    def families(self, slot: str) -> frozenset[str]:
        """The families of the materials that a part is of."""
        if slot not in self._families:
            self._families[slot] = frozenset(_families(self._materials, slot))
        return self._families[slot]

    def verdict(self, terms: Terms) -> Verdict:
        """Compare a provision with what was said; those of many lines are the same."""
        found = self._verdicts.get(terms)
        if found is None:
            found = self._verdicts[terms] = _verdict(terms, self)
        return found


def _verdict(terms: Terms, said: SaidWords) -> Verdict:
    met = int(not said.denied.isdisjoint(terms.denied))
    contradicted = int(not said.affirmed.isdisjoint(terms.denied))
    for interval in terms.intervals:
        met += any(each.comparable(interval) and each.within(interval) for each in said.quantities)
    for slot, theirs in terms.families:
        if ours := said.families(slot):
            agrees = any(is_kind_of(one, other) for one in ours for other in theirs)
            met += agrees
            contradicted += not agrees and not any(is_kind_of(b, a) for a in ours for b in theirs)
    outside = outside_of(terms.intervals, said.quantities)
    return Verdict(met, contradicted, outside) if met or contradicted or outside else NOTHING


def outside_of(intervals: Iterable[Quantity], said: Sequence[Quantity]) -> int:
    """How many intervals all that was said of their dimension lies outside of."""
    found = 0
    for interval in intervals if said else ():
        compared = [each for each in said if each.comparable(interval)]
        found += bool(compared) and all(each.apart(interval) for each in compared)
    return found


def _families(found: Iterable[Material], slot: str) -> set[str]:
    return {material.family for material in found if _same_part(material.slot, slot) and not material.lesser}


def _same_part(one: str, other: str) -> bool:
    return one == other or (one in OUTERMOST and other in OUTERMOST)
