"""The facts that decide below a heading, found in what was said. The trap: a fact that was not said is unknown; it may
have a usual value, but it is never treated as said. What is said of another part, or denied, answers nothing."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self, TypeVar

from pcs.base.same import Same
from pcs.engine.questions import Question, Route, Value
from pcs.engine.reading.attributes import fact_name, slot_of
from pcs.engine.reading.materials import share_of
from pcs.engine.reading.polarity import BOUNDARY, DENIED, opposite
from pcs.engine.reading.quantities import Quantity, quantities
from pcs.engine.reading.reading import Reading
from pcs.engine.reading.segments import attributes_in
from pcs.engine.reading.slots import ANYTHING, GOODS, USE, measure_of, tellings, told, told_of
from pcs.tariff.code import Code

_Key = TypeVar("_Key", bound=Hashable)
_PLACES = Same()  # most questions stand alone for a stem, at one of the same few places


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


class Telling(NamedTuple):
    """What is told of a slot: stems in order, where each stands among them, and what they deny, which is the opposite
    of each."""

    stems: tuple[str, ...]
    places: Mapping[str, Sequence[int]]
    opposites: frozenset[str]

    @classmethod
    def of(cls, stems: tuple[str, ...]) -> Self:
        """These stems as questions are compared with them."""
        places: dict[str, list[int]] = {}
        for place, stem in enumerate(stems):
            places.setdefault(stem, []).append(place)
        return cls(stems, places, frozenset((BOUNDARY, *map(opposite, places))))


_NOTHING_TOLD = Telling.of(())


class Heard:
    """A reading as questions are put to it: what it tells of a slot is looked for once, however many questions of how
    many headings ask; `named` and `of_slot` are what attributes say, by their names and by their slots."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.named: dict[str, list[str]] = {}
        self.of_slot: dict[str, list[str]] = {}
        for name, value in (*reading.attributes, *_described(reading)):
            self.named.setdefault(fact_name(name), []).append(value)
            if slot := slot_of(name):
                self.of_slot.setdefault(slot, []).append(value)
        self._tellings: dict[str, tuple[Telling, ...]] = {}
        self._stems: dict[str, frozenset[str]] = {}
        self._amounts: dict[str, Sequence[Quantity]] = {}
        self._answers: dict[Question, Answered] = {}

    def answer(self, question: Question) -> Answered:
        """What was read to a question; once, where both schedules ask it."""
        if question not in self._answers:
            self._answers[question] = _answered(question, self)
        return self._answers[question]

    def tellings(self, slot: str) -> tuple[Telling, ...]:
        """What is told of a slot, the most telling first."""
        about = told_of(slot)
        if about not in self._tellings:
            self._tellings[about] = tuple(map(Telling.of, tellings(self.reading, slot)))
        return self._tellings[about]

    def stems(self, slot: str) -> frozenset[str]:
        """Every stem that is told of a slot, and every one that is denied of it."""
        about = told_of(slot)
        if about not in self._stems:
            told = self.tellings(slot)
            self._stems[about] = frozenset[str]().union(
                *(each.places for each in told), *(each.opposites for each in told)
            )
        return self._stems[about]

    def amounts(self, slot: str) -> Sequence[Quantity]:
        """The quantities that may answer a question about a slot."""
        if slot not in self._amounts:
            self._amounts[slot] = _amounts(slot, self.reading)
        return self._amounts[slot]


def _described(reading: Reading) -> Iterator[tuple[str, str]]:
    """The attributes that a description lists. What goods are called there, or are for, is a shop's category and search
    words as often as theirs, and is read as words."""
    return ((name, value) for name, value in attributes_in(reading.description) if slot_of(name) not in {GOODS, USE})


class Questions:
    """The questions of a heading, found by what may answer them: most are of something that was not spoken of. The
    tables in which they are found are made when the heading is first asked about: many never are."""

    def __init__(self, asked: Iterable[Question] = ()) -> None:
        self.asked = tuple(asked)

    @cached_property
    def by_scope(self) -> dict[Code, tuple[int, ...]]:
        """The places of the questions of each scope."""
        return _places_by((question.scope, place) for place, question in enumerate(self.asked))

    @cached_property
    def _unanswered(self) -> tuple[Answered, ...]:
        return tuple(Answered(question, (), ()) for question in self.asked)

    @cached_property
    def _by_stem(self) -> dict[str, dict[str, tuple[int, ...]]]:
        """By what is told of, the places of the questions of which a value begins with a stem."""
        told: dict[str, list[tuple[str, int]]] = {}
        for place, question in enumerate(self.asked):
            stems = {value.stems[0] for value in question.values if value.stems}
            told.setdefault(told_of(question.slot), []).extend((stem, place) for stem in stems)
        return {about: _places_by(stems) for about, stems in told.items()}

    @cached_property
    def _by_measure(self) -> dict[str, tuple[int, ...]]:
        return _places_by((question.slot, place) for place, question in enumerate(self.asked) if question.measures)

    def put_to(self, heard: Heard) -> tuple[Answered, ...]:
        """Each question with what was read to it."""
        answered = list(self._unanswered)
        for place in self._spoken_of(heard):
            found = heard.answer(self.asked[place])
            if found.taken or found.closed:
                answered[place] = found
        return tuple(answered)

    def is_open(self, place: int, answered: Sequence[Answered]) -> bool:
        """Whether nothing was read to the question at this place."""
        return answered[place] is self._unanswered[place]

    def _spoken_of(self, heard: Heard) -> set[int]:
        """The places of questions of which a stem, a number or an attribute was said."""
        found = set[int]()
        for about, by_stem in self._by_stem.items():
            for stem in by_stem.keys() & heard.stems(about):
                found.update(by_stem[stem])
        for slot, places in self._by_measure.items():
            if heard.amounts(slot):
                found.update(places)
        if heard.named:
            asked = enumerate(self.asked)
            found.update(place for place, each in asked if each.key in heard.named or each.slot in heard.of_slot)
        return found


def _places_by(pairs: Iterable[tuple[_Key, int]]) -> dict[_Key, tuple[int, ...]]:
    found: dict[_Key, list[int]] = {}
    for key, place in pairs:
        found.setdefault(key, []).append(place)
    return {key: _PLACES[tuple(places)] for key, places in found.items()}


def _answered(question: Question, heard: Heard) -> Answered:
    """What an attribute of the question's name or slot says; where none answers, what was said elsewhere."""
    values = (*heard.named.get(question.key, ()), *heard.of_slot.get(question.slot, ()))
    found = (_by_attribute(question, value) for value in values)
    return next((answered for answered in found if answered.taken), None) or _told(question, heard)


def _by_attribute(question: Question, value: str) -> Answered:
    """What an attribute says: it is a value of the question as written, or its words or its number are."""
    plainly = {part.strip().lower() for part in (value, *value.split(";"))}
    taken = [route for route in question.routes if any(each.written.lower() in plainly for each in route.values)]
    if not taken:
        said, (dimension, measures) = Telling.of(told(value, ANYTHING)), measure_of(question.slot) or (None, None)
        amounts = [
            replace(each, measures=measures) if each.dimension == dimension else each for each in quantities(value)
        ]
        hits = _telling(_hits(question.routes, said, amounts))
        taken = [route for route in question.routes if any(hit.route is route for hit in hits)]
    return Answered(question, tuple(taken), (value,) * len(taken), by_attribute=True)


def _told(question: Question, heard: Heard) -> Answered:
    """What was said to a question."""
    amounts = heard.amounts(question.slot) if question.measures else ()
    hits = list[_Hit]()
    telling = _NOTHING_TOLD
    for telling in heard.tellings(question.slot):
        if hits := _telling(_hits(question.routes, telling, amounts)):
            break
    said = {hit.route: hit.value.written for hit in reversed(hits)}
    taken = [route for route in question.routes if route in said]
    may_close = question.denies or any(stem.startswith(DENIED) for stem in telling.places)
    closed = tuple(route for route in question.routes if may_close and route not in said and _denied(route, telling))
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


def _hits(routes: Iterable[Route], telling: Telling, amounts: Sequence[Quantity]) -> list[_Hit]:
    """The values of these routes that were said, in their order."""
    stems, places, _ = telling
    found = list[_Hit]()
    for route in routes:
        for value in route.values:
            if value.interval is not None:
                if any(amount.comparable(value.interval) and amount.within(value.interval) for amount in amounts):
                    found.append(_Hit(route, value))
            elif value.stems and value.stems[0] in places:
                size = len(value.stems)
                found += [
                    _Hit(route, value, place, place + size)
                    for place in places[value.stems[0]]
                    if stems[place : place + size] == value.stems
                ]
    return found


def _telling(hits: Sequence[_Hit]) -> list[_Hit]:
    """The numbers among them, which leave less doubt than words, else the words without those that are part of a longer
    value's: "PU leather" does not say leather."""
    if numbers := [hit for hit in hits if not hit.end]:
        return numbers
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


def _denied(route: Route, telling: Telling) -> bool:
    """Whether what was told denies every word of a value of this route."""
    return any(value.stems and telling.opposites.issuperset(value.stems) for value in route.values)
