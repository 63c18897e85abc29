"""Whether the pack's questions can be answered. The trap: a route that reads as nothing, or as its sibling does; it
looks like knowledge and decides nothing, so it is refused with a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from pcs.engine.questions import Question, Route, Value, question_of
from pcs.engine.reading.quantities import Quantity
from pcs.engine.reading.slots import is_slot, measure_of
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Schedule
from pcs.tariff.starter.pack import ChapterKnowledge, Fact

_DIGIT = re.compile(r"\d")


def fact_problems(pack: Iterable[ChapterKnowledge], schedules: Mapping[ScheduleName, Schedule]) -> Iterator[str]:
    """What is wrong with every question of the pack, a sentence each."""
    for chapter in pack:
        for heading in chapter.headings:
            for fact in heading.facts:
                told = [*_slot(fact), *_routes(question_of(fact)), *_codes(fact, schedules)]
                yield from (f"{fact.scope} {fact.name!r}: {problem}" for problem in told)


def _slot(fact: Fact) -> Iterator[str]:
    if not is_slot(fact.slot):
        yield f"a question cannot ask about [{fact.slot}]."


def _routes(question: Question) -> Iterator[str]:
    for route in question.routes:
        for value in route.values:
            yield from _value(value, question.slot)
    for one, other in combinations(question.routes, 2):
        if one.codes != other.codes:
            yield from _same(one, other)


def _value(value: Value, slot: str) -> Iterator[str]:
    if value.interval is None and not value.stems:
        yield f"{value.written!r} says nothing."
    elif value.interval is None and _DIGIT.search(value.written) and not any(map(_DIGIT.search, value.stems)):
        yield f"the number of {value.written!r} is not read."
    measure = measure_of(slot)
    if measure and value.interval is not None and value.interval.dimension != measure[0]:
        yield f"{value.written!r} does not measure {slot}."


def _same(one: Route, other: Route) -> Iterator[str]:
    for first in one.values:
        for second in other.values:
            if first.interval is not None and second.interval is not None:
                if _overlap(first.interval, second.interval):
                    yield f"{first.written!r} and {second.written!r} hold the same numbers and lead different ways."
            elif first.interval is None and second.interval is None and set(first.stems) == set(second.stems):
                yield f"{first.written!r} and {second.written!r} read the same and lead different ways."


def _overlap(one: Quantity, other: Quantity) -> bool:
    return one.comparable(other) and not one.apart(other)


def _codes(fact: Fact, schedules: Mapping[ScheduleName, Schedule]) -> Iterator[str]:
    meant = [schedule for name, schedule in schedules.items() if fact.system in {"HS", name}]
    for code in (fact.scope, *(code for branch in fact.branches for code in branch.codes)):
        if meant and not any(schedule.get(code) for schedule in meant):
            yield f"no schedule that it is for has {code}."
