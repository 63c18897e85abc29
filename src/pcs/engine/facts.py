"""The facts that decide below a heading, as the pack states them, found in what was said. The trap: a fact that was not
said is unknown; it may have a usual value, but it is never treated as said. What is said of another part, or denied,
answers nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from pcs.engine.reading.attributes import fact_name, slot_of
from pcs.engine.reading.materials import share_of
from pcs.engine.reading.polarity import BOUNDARY, opposite
from pcs.engine.reading.quantities import Quantity, quantities
from pcs.engine.reading.reading import Reading
from pcs.engine.reading.slots import ANYTHING, measure_of, tellings, told, told_of
from pcs.tariff.code import Code
from pcs.tariff.starter.pack import Fact, FactValues, HeadingKnowledge

_EVERYWHERE = "HS"
_QUESTIONS = 1 << 13  # all of the pack's
_VALUES = 1 << 12  # those of a chapter's questions, which say the same again and again; of all it would take 10 MB
_LEAST_DIGITS = 3  # of a number that alone is a value: an alloy's, a bearing's; "2" may be anything


Places = Mapping[str, Sequence[int]]
"""Where each stem stands among those that were said."""
_Telling = tuple[tuple[str, ...], Places]


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a route: as written, as signed stems in order, and the interval that it names, if it names one."""

    written: str
    stems: tuple[str, ...]
    interval: Quantity | None = None

    def denied_in(self, places: Places) -> bool:
        """Whether what was said denies its every word."""
        return bool(self.stems) and all(opposite(word) in places for word in self.stems if word != BOUNDARY)


@dataclass(frozen=True, slots=True)
class Route:
    """Values of a fact and the codes they lead to."""

    values: tuple[Value, ...]
    codes: tuple[Code, ...]


@dataclass(frozen=True)
class Question:
    """One deciding fact below `scope`: the part it asks about, its routes, and the usual one where it is not said."""

    scope: Code
    name: str
    slot: str
    routes: tuple[Route, ...]
    usual: Route | None

    @cached_property
    def first_stems(self) -> frozenset[str]:
        """The stems that its values begin with: where none was said, no words answer it."""
        return frozenset(value.stems[0] for value in self._values if value.stems)

    @cached_property
    def opposites(self) -> frozenset[str]:
        """Its values' stems as one who denies them says them: where none was said, no route is closed."""
        return frozenset(opposite(word) for value in self._values for word in value.stems)

    @cached_property
    def measures(self) -> bool:
        """Whether a quantity may answer it."""
        return any(value.interval is not None for value in self._values)

    @cached_property
    def unanswered(self) -> Answered:
        """It, where nothing was said to it."""
        return Answered(self, (), ())

    @property
    def _values(self) -> Iterator[Value]:
        return (value for route in self.routes for value in route.values)


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with what was said: the routes taken (several if several were said), the words, and the routes that
    were denied; whether an attribute said it, which leaves less doubt than a word in a text."""

    question: Question
    taken: tuple[Route, ...]
    said: tuple[str, ...]
    closed: tuple[Route, ...] = ()
    by_attribute: bool = False

    @property
    def contradicting(self) -> bool:
        """Whether what was said leads ways that cannot both be right."""
        return len(self.taken) > 1 and not frozenset.intersection(*(frozenset(route.codes) for route in self.taken))


def questions(heading: HeadingKnowledge, system: str) -> tuple[Question, ...]:
    """The questions of a heading for one schedule ("US-HTS" or "EU-CN")."""
    return tuple(question_of(fact) for fact in heading.facts if fact.system in {_EVERYWHERE, system})


class Heard:
    """A reading as questions are put to it: what it tells of a slot is looked for once, however many questions of how
    many headings ask."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self._tellings: dict[str, tuple[_Telling, ...]] = {}

    def tellings(self, slot: str) -> tuple[_Telling, ...]:
        """What is told of a slot, the most telling first, each as stems and where each stem stands among them."""
        about = told_of(slot)
        if about not in self._tellings:
            self._tellings[about] = tuple((stems, _places(stems)) for stems in tellings(self.reading, slot))
        return self._tellings[about]


def answer(asked: Iterable[Question], heard: Heard) -> tuple[Answered, ...]:
    """Each question with what was read to it."""
    ask = _answered if heard.reading.attributes else _told
    return tuple(ask(question, heard) for question in asked)


def _answered(question: Question, heard: Heard) -> Answered:
    """What an attribute of the question's name or slot says; where none answers, what was said elsewhere."""
    reading = heard.reading
    named = (value for name, value in reading.attributes if fact_name(name) == question.name.lower())
    of_slot = (value for name, value in reading.attributes if slot_of(name) == question.slot)
    found = (_by_attribute(question, value) for value in (*named, *of_slot))
    return next((answered for answered in found if answered.taken), None) or _told(question, heard)


def _by_attribute(question: Question, value: str) -> Answered:
    """What an attribute says: it is a value of the question as written, or its words or its number are."""
    plainly = {part.strip().lower() for part in (value, *value.split(";"))}
    taken = [route for route in question.routes if any(each.written.lower() in plainly for each in route.values)]
    if not taken:
        stems, (dimension, measures) = told(value, ANYTHING), measure_of(question.slot) or (None, None)
        amounts = [
            replace(each, measures=measures) if each.dimension == dimension else each for each in quantities(value)
        ]
        hits = _longest([hit for route in question.routes for hit in _hits(route, stems, _places(stems), amounts)])
        taken = [route for route in question.routes if any(hit.route is route for hit in hits)]
    return Answered(question, tuple(taken), (value,) * len(taken), by_attribute=True)


def _told(question: Question, heard: Heard) -> Answered:
    """What was said to a question; most are of something else, and of those only first words are looked for."""
    amounts = _amounts(question.slot, heard.reading) if question.measures else ()
    hits = list[_Hit]()
    places: Places = {}
    for stems, places in heard.tellings(question.slot):
        if amounts or not places.keys().isdisjoint(question.first_stems):
            hits = [hit for route in question.routes for hit in _hits(route, stems, places, amounts)]
            hits = [hit for hit in hits if not hit.end] or _longest(hits)  # a number leaves less doubt than a word
            if hits:
                break
    if not hits and places.keys().isdisjoint(question.opposites):
        return question.unanswered
    said = {hit.route: hit.value.written for hit in reversed(hits)}
    taken = [route for route in question.routes if route in said]
    closed = tuple(route for route in question.routes if route not in said and _denied(route, places))
    left = [route for route in question.routes if route not in closed]
    if closed and not taken and len(left) == 1:  # what is not one of two is the other
        return Answered(question, (left[0],), (f"not {closed[0].values[0].written}",), closed)
    return Answered(question, tuple(taken), tuple(said[route] for route in taken), closed)


@dataclass(frozen=True, slots=True)
class _Hit:
    """A value that was said: its route, and the places of its words among the stems (none for an interval)."""

    route: Route
    value: Value
    start: int = 0
    end: int = 0


def _hits(route: Route, stems: tuple[str, ...], places: Places, amounts: Sequence[Quantity]) -> Iterator[_Hit]:
    for value in route.values:
        if value.interval is not None:
            if any(quantity.comparable(value.interval) and quantity.within(value.interval) for quantity in amounts):
                yield _Hit(route, value)
        elif value.stems:
            end = len(value.stems)
            for place in places.get(value.stems[0], ()):
                if stems[place : place + end] == value.stems:
                    yield _Hit(route, value, place, place + end)


def _longest(hits: Sequence[_Hit]) -> list[_Hit]:
    """Without those whose words are part of a longer value's: "PU leather" does not say leather."""
    spans = {(hit.start, hit.end) for hit in hits if hit.end}
    return [
        hit
        for hit in hits
        if not any(start <= hit.start < hit.end <= end and end - start > hit.end - hit.start for start, end in spans)
    ]


def _amounts(slot: str, reading: Reading) -> Sequence[Quantity]:
    """The quantities that may answer a question: a share of a material is read from the composition, and a length of
    which is not said what it measures is what is asked for, where it is the only one."""
    measure = measure_of(slot)
    if measure == ("age", None):  # toys "3+, 6+" are for those from three years on
        return sorted((each for each in reading.quantities if each.dimension == "age"), key=lambda each: each.low)[:1]
    if measure is None or measure[1] is None:
        return reading.quantities
    same = [each for each in reading.quantities if each.dimension == measure[0]]
    if measure[0] == "share":
        share = share_of(reading.materials, measure[1])
        return same if share is None else [Quantity("share", share, share, measure[1])]
    if len(same) == 1 and same[0].measures is None:
        return [replace(same[0], measures=measure[1])]
    return same


def _denied(route: Route, places: Places) -> bool:
    return any(value.denied_in(places) for value in route.values)


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


def _places(stems: tuple[str, ...]) -> Places:
    """Where each stem stands among them."""
    found: dict[str, list[int]] = {}
    for place, stem in enumerate(stems):
        found.setdefault(stem, []).append(place)
    return found
