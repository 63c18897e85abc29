"""The facts that decide below a heading, as the pack states them, found in what was said. The trap: a fact that was not
said is unknown; it may have a usual value, but it is never treated as said. What is said of another part, or denied,
answers nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pcs.engine.reading.polarity import opposite
from pcs.engine.reading.quantities import Quantity, quantities
from pcs.engine.reading.reading import Reading
from pcs.engine.reading.slots import ANYTHING, measure_of, tellings, told
from pcs.tariff.code import Code
from pcs.tariff.starter.pack import Fact, FactValues, HeadingKnowledge

_EVERYWHERE = "HS"
_LEAST_DIGITS = 3  # of a number that alone is a value: an alloy's, a bearing's; "2" may be anything


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a route: as written, as signed stems in order, and the interval that it names, if it names one."""

    written: str
    stems: tuple[str, ...]
    interval: Quantity | None = None

    def said_in(self, stems: Sequence[str], said: Sequence[Quantity]) -> bool:
        """Whether the stems hold it, or one of the quantities lies in its interval."""
        if self.interval is not None:
            interval = self.interval
            return any(quantity.comparable(interval) and quantity.within(interval) for quantity in said)
        return bool(self.stems) and _contains(stems, self.stems)

    def denied_in(self, stems: Sequence[str]) -> bool:
        """Whether the stems deny its every word."""
        return bool(self.stems) and all(opposite(word) in stems for word in self.stems)


@dataclass(frozen=True, slots=True)
class Route:
    """Values of a fact and the codes they lead to."""

    values: tuple[Value, ...]
    codes: tuple[Code, ...]

    def leads_to(self, code: str) -> bool:
        """Whether the line lies at or below one of the codes."""
        return code.startswith(self.codes)


@dataclass(frozen=True, slots=True)
class Question:
    """One deciding fact below `scope`: the part it asks about, its routes, and the usual one where it is not said."""

    scope: Code
    name: str
    slot: str
    routes: tuple[Route, ...]
    usual: Route | None


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with what was said: the routes taken (several if several were said), the words, and the routes that
    were denied."""

    question: Question
    taken: tuple[Route, ...]
    said: tuple[str, ...]
    closed: tuple[Route, ...] = ()

    @property
    def contradicting(self) -> bool:
        """Whether what was said leads ways that cannot both be right."""
        return len(self.taken) > 1 and not frozenset.intersection(*(frozenset(route.codes) for route in self.taken))


def questions(heading: HeadingKnowledge, system: str) -> tuple[Question, ...]:
    """The questions of a heading for one schedule ("US-HTS" or "EU-CN")."""
    return tuple(question_of(fact) for fact in heading.facts if fact.system in {_EVERYWHERE, system})


def answer(asked: Iterable[Question], reading: Reading) -> tuple[Answered, ...]:
    """Each question with what was read to it."""
    return tuple(_answered(question, reading) for question in asked)


def _answered(question: Question, reading: Reading) -> Answered:
    amounts = _amounts(question.slot, reading.quantities)
    hits = list[tuple[Route, str]]()
    stems: tuple[str, ...] = ()
    for stems in tellings(reading, question.slot):
        hits = [(route, said) for route in question.routes if (said := _first_said(route, stems, amounts))]
        if hits:
            break
    taken = [route for route, _ in hits]
    closed = tuple(route for route in question.routes if route not in taken and _denied(route, stems))
    left = [route for route in question.routes if route not in closed]
    if closed and not taken and len(left) == 1:  # what is not one of two is the other
        return Answered(question, (left[0],), (f"not {closed[0].values[0].written}",), closed)
    return Answered(question, tuple(taken), tuple(said for _, said in hits), closed)


def _amounts(slot: str, said: Sequence[Quantity]) -> Sequence[Quantity]:
    """The quantities that may answer a question; one length of which is not said what it measures, where it is the only
    one, is what a question about a measure asks for."""
    measure = measure_of(slot)
    if measure is None or measure[1] is None:
        return said
    same = [each for each in said if each.dimension == measure[0]]
    if len(same) == 1 and same[0].measures is None:
        return [replace(same[0], measures=measure[1])]
    return same


def _first_said(route: Route, stems: Sequence[str], said: Sequence[Quantity]) -> str | None:
    return next((value.written for value in route.values if value.said_in(stems, said)), None)


def _denied(route: Route, stems: Sequence[str]) -> bool:
    return any(value.denied_in(stems) for value in route.values)


def question_of(fact: Fact) -> Question:
    """The question that a fact of the pack asks."""
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


def value_of(written: str, slot: str) -> Value:
    """One value of a question about a slot, as it will be compared."""
    stems = told(written, ANYTHING)
    amounts = [amount for amount in quantities(written) if amount.dimension != "share" or measure_of(slot)]
    if len(amounts) == 1 and not (math.isinf(amounts[0].low) and math.isinf(amounts[0].high)):
        measure = measure_of(slot)
        if measure is not None and measure[0] == amounts[0].dimension and measure[1] is not None:
            return Value(written, stems, replace(amounts[0], measures=measure[1]))
        return Value(written, stems, amounts[0])
    if len(stems) == 1 and re.fullmatch(r"[\d.,/+-]+", stems[0]) and sum(map(str.isdigit, stems[0])) < _LEAST_DIGITS:
        return Value(written, ())
    return Value(written, stems)


def _contains(stems: Sequence[str], phrase: tuple[str, ...]) -> bool:
    if phrase[0] not in stems:
        return False
    if len(phrase) == 1:
        return True
    return any(tuple(stems[place : place + len(phrase)]) == phrase for place in range(len(stems) - len(phrase) + 1))
