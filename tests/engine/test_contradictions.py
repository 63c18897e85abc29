"""A fact that was said in two ways that cannot both be right is asked for, named as such, and raises the doubt."""

from dataclasses import replace

import numpy as np
import pytest

from pcs.engine.asking import missing
from pcs.engine.classify import classify
from pcs.engine.facts import Answered, Heard, Questions
from pcs.engine.method import HeadingLines, Method
from pcs.engine.product import Product
from pcs.engine.questions import Question, question_of
from pcs.engine.ranking.levels import Certainty
from pcs.engine.ranking.ranker import Floats, RankedHeading
from pcs.engine.reading.reading import reading_of
from pcs.engine.result import OpenQuestion, Result
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName
from pcs.tariff.starter.pack import Fact, FactValues

SOLE = Certainty(heading=0.7, shared=0.6, covered=0.5, subheading=0.6, line=0.6, agreed=True, lines=8)
METAL = question_of(
    Fact(
        "HS",
        Code("7113"),
        "metal",
        (FactValues(("silver",), (Code("711311"),)), FactValues(("gold",), (Code("711319"),))),
        "any",
    )
)


def said_to(question: Question, text: str = "ring of silver and gold") -> tuple[Answered, ...]:
    return Questions([question]).put_to(Heard(reading_of(Product(text))))


def left_open(method: Method, question: Question, text: str) -> tuple[OpenQuestion, ...]:
    """What is asked where a ring is of silver or of gold as likely."""
    heading = method.headings[method.places[Code("7113")]]
    return missing(RankedHeading(heading, 1.0, 1.0, even(heading, "711311", "711319"), said_to(question, text), 1.0))


def even(heading: HeadingLines, *codes: str) -> Floats:
    below = [any(line.startswith(code) for code in codes) for line in heading.codes]
    lines: Floats = np.array(below) / sum(below)
    return lines


@pytest.fixture
def method(methods: dict[ScheduleName, Method]) -> Method:
    return methods[ScheduleName.US_HTS]


def test_what_was_said_two_ways_is_asked_for_and_offers_what_was_said(method: Method) -> None:
    [asked] = left_open(method, METAL, "ring of silver and gold")
    assert asked.text == "Which is the metal that decides, silver or gold? Each leads to another code."
    assert asked.options == ("silver", "gold")
    assert asked.attribute == "metal"


def test_what_was_said_one_way_is_not_asked_for_and_what_was_not_said_is_asked_plainly(method: Method) -> None:
    assert left_open(method, METAL, "ring of silver") == ()
    [asked] = left_open(method, METAL, "ring")
    assert asked.text.startswith("What is the metal? For example: ")
    assert sorted(asked.options) == ["gold", "silver"]


def test_two_ways_to_the_same_code_contradict_nothing(method: Method) -> None:
    one_way = replace(METAL, routes=tuple(replace(route, codes=(Code("711311"),)) for route in METAL.routes))
    assert left_open(method, one_way, "ring of silver and gold") == ()


def test_a_contradiction_raises_the_doubt_of_the_line_and_not_of_the_heading() -> None:
    torn = replace(SOLE, contradictions=1)
    assert torn.of_line() < SOLE.of_line()
    assert torn.of_heading() == SOLE.of_heading()
    assert torn.of_subheading() == SOLE.of_subheading()


def test_contradictions_beyond_two_say_no_more() -> None:
    assert replace(SOLE, contradictions=2).of_line() == replace(SOLE, contradictions=9).of_line()


@pytest.mark.parametrize("name", list(ScheduleName))
def test_an_answer_settles_it(methods: dict[ScheduleName, Method], name: ScheduleName) -> None:
    torn = result_of(Product("Handbag", "outer surface of leather, outer surface of cotton"), methods[name])
    asked = torn.questions[0]
    assert asked.options == ("leather", "cotton")
    assert 'The fact "outer surface" was stated as leather and as cotton, which lead to' in torn.reasoning
    settled = result_of(
        Product(
            "Handbag",
            "outer surface of leather, outer surface of cotton",
            attributes=((asked.attribute, "cotton"),),
        ),
        methods[name],
    )
    assert settled.code.startswith("420222")
    assert asked.id not in {question.id for question in settled.questions}
    assert (settled.confidence or 0) > (torn.confidence or 1)


def result_of(product: Product, method: Method) -> Result:
    result = classify(product, method).result
    assert result is not None
    return result
