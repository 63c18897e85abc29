"""Attributes are facts that were said: a known one decides as its words in the description would, and before them."""

import pytest

from pcs.engine.classify import classify
from pcs.engine.facts import Answered, Heard, Questions
from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.engine.questions import question_of
from pcs.engine.reading.attributes import laid_out
from pcs.engine.reading.reading import reading_of
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName
from pcs.tariff.starter.pack import Fact, FactValues

OUTER = question_of(
    Fact(
        "HS",
        Code("4202"),
        "outer surface",
        (FactValues(("leather",), (Code("420221"),)), FactValues(("cotton",), (Code("420222"),))),
        "outer",
    )
)


def asked(product: Product) -> Answered:
    [found] = Questions([OUTER]).put_to(Heard(reading_of(laid_out(product, {"outer surface"}))))
    return found


@pytest.mark.parametrize("name", ["outer_material", "outerSurface", "Outer surface", "shell"])
def test_a_known_name_answers_the_question_of_its_slot_before_the_description_does(name: str) -> None:
    found = asked(Product("Handbag", "cotton", attributes=((name, "leather"),)))
    assert [route.codes for route in found.taken] == [(Code("420221"),)]


def test_an_attribute_that_a_description_lists_is_one() -> None:
    listed = asked(Product("Handbag, cotton look", "Origin: China; Outer Surface: leather; Lining Material: cotton"))
    assert listed.by_attribute
    assert [route.codes for route in listed.taken] == [(Code("420221"),)]
    assert not asked(Product("Handbag", "Outer Surface: None; Lining Material: cotton")).taken


def test_a_category_that_a_description_names_is_no_attribute() -> None:
    kind = question_of(Fact("HS", Code("4202"), "type", (FactValues(("wallet",), (Code("420231"),)),), "goods"))
    product = Product("Phone strap", "Category: Bags > Wallet")
    [found] = Questions([kind]).put_to(Heard(reading_of(product)))
    assert not found.by_attribute


def test_what_is_said_of_another_part_or_under_an_unknown_name_answers_nothing() -> None:
    assert not asked(Product("Handbag", attributes=(("lining", "leather"),))).taken
    assert not asked(Product("Handbag", attributes=(("warehouse", "leather"),))).taken


def test_an_unknown_name_says_nothing_and_a_known_one_moves_the_code(methods: dict[ScheduleName, Method]) -> None:
    for method in methods.values():
        plain = classify(Product("Coffee mug"), method)
        stray = classify(Product("Coffee mug", attributes=(("warehouse", "lead-acid accumulators"),)), method)
        told = classify(Product("Coffee mug", attributes=(("material", "porcelain"),)), method)
        assert stray.answer == plain.answer
        assert (plain.code or "")[:4] == "6912"
        assert (told.code or "")[:4] == "6911"


def test_a_name_in_a_language_takes_attributes_in_the_same(methods: dict[ScheduleName, Method]) -> None:
    german = Product("Handtasche", attributes=(("material", "Leder"),))
    for method in methods.values():
        found = classify(german, method)
        assert (found.code or "")[:6] == "420221"


def test_an_answer_to_a_question_moves_the_code_and_is_not_asked_again(methods: dict[ScheduleName, Method]) -> None:
    method = methods[ScheduleName.EU_CN]
    before = classify(Product("Handbag"), method).result
    assert before is not None
    assert [question.text for question in before.questions] == list(before.missing_information)
    assert len({question.id for question in before.questions}) == len(before.questions)
    question = next(
        each for each in before.questions if each.attribute == "outer surface" and "leather" in each.options
    )
    told = classify(Product("Handbag", attributes=((question.attribute, "leather"),)), method).result
    assert told is not None
    assert told.code.startswith("420221")
    assert (told.confidence or 0) > (before.confidence or 0)
    assert question.id not in {each.id for each in told.questions}


def test_goods_that_only_an_attribute_names_are_named(methods: dict[ScheduleName, Method]) -> None:
    assert classify(Product("Item 4711"), methods[ScheduleName.US_HTS]).result is None
    told = Product("Item 4711", attributes=(("type", "handbag"), ("material", "leather")))
    assert (classify(told, methods[ScheduleName.US_HTS]).code or "")[:6] == "420221"
