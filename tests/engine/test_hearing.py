"""Questions are put to a reading that is looked through once: what most questions cost, and that none is answered
differently for it."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcs.engine import facts
from pcs.engine.facts import Heard, Questions
from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.engine.questions import Question, Value
from pcs.engine.reading.reading import Reading, reading_of
from pcs.engine.reading.slots import tellings
from pcs.tariff.revision import ScheduleName

_SAID = (
    "leather cotton knitted not without outer surface sole lining of for men women plastic steel frozen fresh "
    "electric battery toys machine parts 200 g 5 kg 12 V 40 % value over 20 USD , with rubber unbleached seamless"
)


def asked(methods: dict[ScheduleName, Method]) -> list[Question]:
    return [
        question for method in methods.values() for heading in method.headings for question in heading.questions.asked
    ]


def test_a_slot_is_told_once_however_many_questions_ask(
    methods: dict[ScheduleName, Method], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = list[str]()

    def counted(reading: Reading, slot: str) -> Iterator[tuple[str, ...]]:
        told.append(slot)
        return tellings(reading, slot)

    monkeypatch.setattr(facts, "tellings", counted)
    questions = asked(methods)
    Questions(questions).put_to(Heard(reading_of(Product("Leather handbag", "cotton lining, value 30 USD"))))
    assert len(questions) > 1_000
    assert len(told) < 60


def is_said(value: Value, stems: tuple[str, ...]) -> bool:
    length = len(value.stems)
    return length > 0 and any(stems[place : place + length] == value.stems for place in range(len(stems)))


@settings(max_examples=60, deadline=None)
@given(said=st.lists(st.sampled_from(_SAID.split()), min_size=1, max_size=12).map(" ".join))
def test_a_value_that_was_said_is_heard(methods: dict[ScheduleName, Method], said: str) -> None:
    heard = Heard(reading_of(Product(said)))
    for question in asked(methods)[::40]:
        [found] = Questions([question]).put_to(heard)
        values = [value for route in question.routes for value in route.values if value.interval is None]
        if any(is_said(value, telling.stems) for telling in heard.tellings(question.slot) for value in values):
            assert found.taken
