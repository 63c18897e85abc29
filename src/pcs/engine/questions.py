"""The questions whose answers decide below a heading, as the pack states them, made ready to be compared with what was
said. The trap: a value that reads as a number and is none; "2" may be anything."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from pcs.engine.reading.polarity import BOUNDARY, DENIED, opposite
from pcs.engine.reading.quantities import Quantity, quantities
from pcs.engine.reading.slots import ANYTHING, measure_of, told
from pcs.tariff.code import Code
from pcs.tariff.starter.pack import Fact, FactValues, HeadingKnowledge

_EVERYWHERE = "HS"
_QUESTIONS = 1 << 13  # all of the pack's
_VALUES = 1 << 12  # those of a chapter's questions, which say the same again and again; of all it would take 10 MB
_LEAST_DIGITS = 3  # of a number that alone is a value: an alloy's, a bearing's; "2" may be anything


Places = Mapping[str, Sequence[int]]
"""Where each stem stands among those that were said."""


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a route: as written, as signed stems in order, and the interval that it names, if it names one."""

    written: str
    stems: tuple[str, ...]
    interval: Quantity | None = None

    def denied_in(self, places: Places) -> bool:
        """Whether what was said denies its every word."""
        return bool(self.stems) and all(opposite(word) in places for word in self.stems if word != BOUNDARY)


@dataclass(frozen=True, slots=True, eq=False)
class Route:
    """Values of a fact and the codes they lead to."""

    values: tuple[Value, ...]
    codes: tuple[Code, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """One deciding fact below `scope`: the part it asks about, its routes, and the usual one where it is not said;
    whether a quantity may answer it, and whether a value of it denies."""

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

    @property
    def key(self) -> str:
        """Its name as that of an attribute is compared with it."""
        return self.name.lower()

    @property
    def values(self) -> Iterator[Value]:
        """The values of all its routes."""
        return (value for route in self.routes for value in route.values)


def questions(heading: HeadingKnowledge, system: str) -> tuple[Question, ...]:
    """The questions of a heading for one schedule ("US-HTS" or "EU-CN")."""
    return tuple(question_of(fact) for fact in heading.facts if fact.system in {_EVERYWHERE, system})


@lru_cache(maxsize=_QUESTIONS)
def question_of(fact: Fact) -> Question:
    """The question that a fact of the pack asks; the same one under both schedules."""
    routes = [Route(tuple(_values(branch, fact.slot)), branch.codes) for branch in fact.branches]
    usual = next((route for route in routes if not route.values), None)
    return Question(fact.scope, fact.name, fact.slot, tuple(route for route in routes if route.values), usual)


def _values(branch: FactValues, slot: str) -> Iterator[Value]:
    """The values of a branch; single quantities of one dimension stand for all between the least and the most."""
    found = [value_of(written, slot) for written in branch.values]
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


@lru_cache(maxsize=_VALUES)
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
