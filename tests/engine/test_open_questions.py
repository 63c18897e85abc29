"""A question is put where its options divide what the goods may still be, once a name, and reads as a sentence."""

import numpy as np
import pytest

from pcs.engine.asking import missing
from pcs.engine.classify import classify
from pcs.engine.facts import Heard, Questions
from pcs.engine.method import HeadingLines, Method
from pcs.engine.product import Product
from pcs.engine.questions import Question, question_of
from pcs.engine.ranking.ranker import RankedHeading
from pcs.engine.reading.reading import reading_of
from pcs.engine.result import OpenQuestion
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName
from pcs.tariff.starter.pack import Fact, FactValues


def question(name: str, routes: dict[str, str], *, slot: str = "any", scope: str = "7113") -> Question:
    ways = tuple(FactValues((value,), (Code(code),)) for value, code in routes.items())
    return question_of(Fact("HS", Code(scope), name, ways, slot))


@pytest.fixture
def heading(methods: dict[ScheduleName, Method]) -> HeadingLines:
    method = methods[ScheduleName.US_HTS]
    return method.headings[method.places[Code("7113")]]


def asked(heading: HeadingLines, shares: dict[str, float], *questions: Question) -> tuple[OpenQuestion, ...]:
    """What is asked of a thing where the first line below each of these codes has such a share."""
    lines = np.zeros(len(heading.codes))
    for below, share in shares.items():
        lines[next(place for place, code in enumerate(heading.codes) if code.startswith(below))] = share
    answered = Questions(questions).put_to(Heard(reading_of(Product("thing"))))
    return missing(RankedHeading(heading, 1.0, 1.0, lines, answered, 1.0))


METAL = question("metal", {"silver": "711311", "gold": "711319"})


def test_a_question_whose_other_options_have_hardly_any_probability_is_not_asked(heading: HeadingLines) -> None:
    assert [each.id for each in asked(heading, {"711311": 0.9, "711319": 0.1}, METAL)] == ["7113-metal"]
    assert asked(heading, {"711311": 0.998, "711319": 0.002}, METAL) == ()


def test_where_no_option_leads_to_the_answer_its_options_must_be_likely(heading: HeadingLines) -> None:
    elsewhere = question("sport", {"golf": "711311", "tennis": "711319"})
    assert asked(heading, {"711320": 0.95, "711311": 0.03, "711319": 0.02}, elsewhere) == ()
    assert len(asked(heading, {"711320": 0.6, "711311": 0.2, "711319": 0.2}, elsewhere)) == 1


def test_what_divides_most_is_asked_first_and_its_likeliest_option_stands_first(heading: HeadingLines) -> None:
    plating = question("colour", {"white": "711311", "grey": "711320"})
    found = asked(heading, {"711311": 0.3, "711319": 0.6, "711320": 0.1}, plating, METAL)
    assert [each.attribute for each in found] == ["colour", "metal"]
    assert found[1].options == ("gold", "silver")


def test_an_option_that_has_hardly_any_probability_is_not_offered(heading: HeadingLines) -> None:
    three = question("metal", {"silver": "711311", "gold": "711319", "base metal": "711320"})
    [found] = asked(heading, {"711311": 0.6, "711319": 0.399, "711320": 0.001}, three)
    assert found.options == ("silver", "gold")


def test_intervals_are_offered_in_their_order_whatever_their_probability(heading: HeadingLines) -> None:
    value = question("value", {"up to 18 USD": "711311", "over 18 USD": "711319"}, slot="value")
    [found] = asked(heading, {"711311": 0.1, "711319": 0.9}, value)
    assert found.options == ("up to 18 USD", "over 18 USD")


def test_a_name_is_asked_for_once_with_the_options_of_every_scope(heading: HeadingLines) -> None:
    wide = question("kind", {"ring": "711311", "chain": "711319"}, slot="goods")
    narrow = question("kind", {"stud": "711311", "hoop": "711319"}, slot="goods")
    [found] = asked(heading, {"711311": 0.6, "711319": 0.4}, wide, narrow)
    assert found.text == "What is the kind? For example: ring, chain, stud, hoop."
    assert found.options == ("ring", "chain", "stud", "hoop")


@pytest.mark.parametrize("name", ["wheels", "part of", "organic", "Spanish style or not"])
def test_a_name_that_no_sentence_can_be_made_of_stands_before_the_question(heading: HeadingLines, name: str) -> None:
    [found] = asked(heading, {"711311": 0.6, "711319": 0.4}, question(name, {"this": "711311", "another": "711319"}))
    assert found.text == f"{name[0].upper()}{name[1:]}: which applies? For example: this, another."
    assert found.attribute == name


@pytest.mark.parametrize(
    ("goods", "elsewhere"),
    [("electric bicycle", "displacement"), ("treadmill", "snowboard"), ("bicycle fork", "600 USD")],
)
def test_questions_of_another_article_are_not_asked(
    methods: dict[ScheduleName, Method], goods: str, elsewhere: str
) -> None:
    for method in methods.values():
        result = classify(Product(goods), method).result
        assert result is not None
        assert elsewhere not in " ".join(result.missing_information)
