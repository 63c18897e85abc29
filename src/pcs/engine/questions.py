"""The questions whose answers decide below a heading, as the pack states them, made ready to be compared with what was
said. The trap: a value that reads as a number and is none; "2" may be anything."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import astuple, dataclass, field, replace
from functools import cache

from pcs.engine.arrays import Arrays, packed, unpacked
from pcs.engine.reading.polarity import BOUNDARY, DENIED
from pcs.engine.reading.quantities import Quantity, quantities
from pcs.engine.reading.slots import ANYTHING, measure_of, told
from pcs.tariff.code import Code
from pcs.tariff.starter.pack import ChapterKnowledge, Fact, FactValues, HeadingKnowledge

_EVERYWHERE = "HS"
_LEAST_DIGITS = 3  # of a number that alone is a value: an alloy's, a bearing's; "2" may be anything


ValueOf = Callable[[str, str], "Value"]


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a route: as written, as signed stems in order, and the interval that it names, if it names one."""

    written: str
    stems: tuple[str, ...]
    interval: Quantity | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """Values of a fact and the codes they lead to."""

    values: tuple[Value, ...]
    codes: tuple[Code, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """One deciding fact below `scope`, of one schedule or of both ("HS"): the part it asks about, its routes, and the
    usual one where it is not said; whether a quantity may answer it, and whether a value of it denies."""

    system: str
    scope: Code
    name: str
    slot: str
    routes: tuple[Route, ...]
    usual: Route | None
    measures: bool = field(init=False)
    denies: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "measures", any(value.interval is not None for value in self.values))
        object.__setattr__(self, "denies", any(word.startswith(DENIED) for each in self.values for word in each.stems))

    def is_of(self, schedule: str) -> bool:
        """Whether it is asked under a schedule ("US-HTS" or "EU-CN")."""
        return self.system in {_EVERYWHERE, schedule}

    @property
    def key(self) -> str:
        """Its name as that of an attribute is compared with it."""
        return self.name.lower()

    @property
    def values(self) -> Iterator[Value]:
        """The values of all its routes."""
        return (value for route in self.routes for value in route.values)


def value_of(written: str, slot: str) -> Value:
    """One value of a question about a slot, as it will be compared."""
    stems = _trimmed(told(written, ANYTHING))
    dimension, measured = measure_of(slot) or (None, None)
    amounts = [amount for amount in quantities(written) if amount.dimension != "share" or dimension]
    if len(amounts) == 1 and not (math.isinf(amounts[0].low) and math.isinf(amounts[0].high)):
        amount = amounts[0]
        fits = measured is not None and dimension == amount.dimension
        return Value(written, stems, replace(amount, measures=measured) if fits else amount)
    if len(stems) == 1 and re.fullmatch(r"[\d.,/+-]+", stems[0]) and sum(map(str.isdigit, stems[0])) < _LEAST_DIGITS:
        return Value(written, ())
    return Value(written, stems)


def _trimmed(stems: tuple[str, ...]) -> tuple[str, ...]:
    """A value's stems without boundaries at its ends, and one only between two of its phrases."""
    kept = [
        stem
        for place, stem in enumerate(stems)
        if stem != BOUNDARY or stems[place - 1 : place] not in {(), (BOUNDARY,)}
    ]
    while kept and kept[-1] == BOUNDARY:
        kept.pop()
    return tuple(kept)


def questions_in(pack: Iterable[ChapterKnowledge], read: ValueOf | None = None) -> dict[Code, tuple[Question, ...]]:
    """The questions of each heading of a pack; `read` tells their values. Reading them takes seconds."""
    read = read or cache(value_of)
    headings = (heading for chapter in pack for heading in chapter.headings)
    return {heading.code: questions(heading, read) for heading in headings}


def questions(heading: HeadingKnowledge, read: ValueOf = value_of) -> tuple[Question, ...]:
    """The questions of a heading, for both schedules."""
    return tuple(question_of(fact, read) for fact in heading.facts)


def question_of(fact: Fact, read: ValueOf = value_of) -> Question:
    """The question that a fact of the pack asks."""
    routes = [Route(tuple(_values(branch, fact.slot, read)), branch.codes) for branch in fact.branches]
    usual = next((route for route in routes if not route.values), None)
    said = tuple(route for route in routes if route.values)
    return Question(fact.system, fact.scope, fact.name, fact.slot, said, usual)


def _values(branch: FactValues, slot: str, read: ValueOf) -> Iterator[Value]:
    """The values of a branch; single quantities of one dimension stand for all between the least and the most."""
    found = [read(written, slot) for written in branch.values]
    spans = dict[tuple[str, str | None], list[Quantity]]()
    for value in found:
        if value.interval is not None and value.interval.low == value.interval.high:
            spans.setdefault((value.interval.dimension, value.interval.measures), []).append(value.interval)
    for value in found:
        points = spans.get((value.interval.dimension, value.interval.measures), []) if value.interval else []
        if value.interval is None or value.interval not in points:
            yield value
        else:
            low, high = min(point.low for point in points), max(point.high for point in points)
            yield replace(value, interval=replace(value.interval, low=low, high=high))


def values_in(pack: Iterable[ChapterKnowledge]) -> Arrays:
    """The values of a pack's questions, read, as plain arrays; it takes seconds."""
    facts = (fact for chapter in pack for heading in chapter.headings for fact in heading.facts)
    written = dict.fromkeys((value, fact.slot) for fact in facts for each in fact.branches for value in each.values)
    found = [(slot, value_of(value, slot)) for value, slot in written]
    rows = [(slot, value.written, value.stems, value.interval and astuple(value.interval)) for slot, value in found]
    return {"values": packed(rows)}


def values_from(arrays: Arrays) -> ValueOf:
    """What `values_in()` read."""
    known = {
        (written, slot): Value(written, tuple(map(sys.intern, stems)), Quantity(*interval) if interval else None)
        for slot, written, stems, interval in unpacked(arrays["values"])
    }
    return lambda written, slot: known[written, slot]
