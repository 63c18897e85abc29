"""What was said of goods is heard as questions name it, and what was not said is not claimed."""

import pytest

from pcs.engine.classify import classify
from pcs.engine.facts import Heard
from pcs.engine.method import Method
from pcs.engine.placeholders import names_no_goods
from pcs.engine.product import Product
from pcs.engine.reading.quantities import quantities
from pcs.engine.reading.reading import reading_of
from pcs.engine.result import Result
from pcs.tariff.revision import ScheduleName

US, EU = ScheduleName.US_HTS, ScheduleName.EU_CN


def result_of(name: str, method: Method) -> Result:
    result = classify(Product(name), method).result
    assert result is not None
    return result


@pytest.mark.parametrize(
    ("said", "slot", "stem"),
    [
        ("wooden bookcase", "main", "wood"),
        ("knife with wooden handle", "handle", "wood"),
        ("woollen scarf", "main", "wool"),
        ("LED television", "goods", "tv"),
    ],
)
def test_a_word_is_heard_as_questions_have_it(said: str, slot: str, stem: str) -> None:
    assert stem in Heard(reading_of(Product(said))).stems(slot)


@pytest.mark.parametrize("schedule", [US, EU])
def test_a_material_that_was_said_is_not_asked_for(methods: dict[ScheduleName, Method], schedule: ScheduleName) -> None:
    assert "material" not in {each.attribute for each in result_of("wooden bookcase", methods[schedule]).questions}
    assert "type" not in {each.attribute for each in result_of("extra virgin olive oil", methods[schedule]).questions}


@pytest.mark.parametrize(
    ("goods", "code"),
    [
        ("used petrol car, 1200 cc", "87032290"),
        ("new petrol car, 1200 cc", "87032210"),
        ("used diesel car, 1400 cc", "87033190"),
        ("unicycle", "87120070"),
        ("mountain bike", "87120030"),
        ("cutlery set, 24 pieces, silver plate", "82151020"),
    ],
)
def test_what_decides_a_line_in_the_union_is_heard(methods: dict[ScheduleName, Method], goods: str, code: str) -> None:
    assert result_of(goods, methods[EU]).code == code


@pytest.mark.parametrize("said", ["Set", "Gift set", "kit", "a set of 2", "bundle"])
def test_how_goods_are_put_up_says_not_what_they_are(said: str) -> None:
    assert names_no_goods(said, "")


@pytest.mark.parametrize("said", ["tool set", "sewing kit", "pair of gloves"])
def test_what_is_put_up_does(said: str) -> None:
    assert not names_no_goods(said, "")


@pytest.mark.parametrize("said", ["HK$ 15", "nt$15", "C$15"])
def test_another_countrys_dollar_is_no_value(said: str) -> None:
    assert [each for each in quantities(said) if each.dimension == "value"] == []


@pytest.mark.parametrize("said", ["$15", "US$ 15", "(us $15)"])
def test_the_united_states_dollar_is(said: str) -> None:
    [found] = [each for each in quantities(said) if each.dimension == "value"]
    assert (found.low, found.high) == (15, 15)


@pytest.mark.parametrize("schedule", [US, EU])
def test_essential_character_is_not_claimed_for_a_component_that_is_more_likely_wrong(
    methods: dict[ScheduleName, Method], schedule: ScheduleName
) -> None:
    found = result_of("Gift set: corkscrew, wooden box and bottle of red wine", methods[schedule])
    assert "3(b)" in found.gri_applied
    assert "is only the likeliest" in found.reasoning
    assert (found.confidence_at(4) or 1) < 0.5
