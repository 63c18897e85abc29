"""States that the tariff puts apart decide the heading: knitted or woven, fresh or frozen or dried."""

from __future__ import annotations

import pytest

from pcs.engine.classify import classify
from pcs.engine.legal.states import contradicted, states_asked, states_of
from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

KNITTED_CHAPTER = "Articles of apparel and clothing accessories, knitted or crocheted"
WOVEN_CHAPTER = "Articles of apparel and clothing accessories, not knitted or crocheted"

Heading = tuple[str, str, str]
"""The chapter, its title and the heading's own words."""


def takes(heading: Heading, goods: str) -> bool:
    chapter, title, text = heading
    return not contradicted(states_asked(Code(chapter), title, text), states_of(goods))


@pytest.mark.parametrize(
    ("goods", "taken", "refused"),
    [
        ("women's dress, knitted", ("61", KNITTED_CHAPTER, "Dresses"), ("62", WOVEN_CHAPTER, "Dresses")),
        ("crocheted top", ("61", KNITTED_CHAPTER, "Tops"), ("62", WOVEN_CHAPTER, "Tops")),
        ("woven jacket with knitted cuffs", ("62", WOVEN_CHAPTER, "Jackets"), ("61", KNITTED_CHAPTER, "Jackets")),
        ("blueberries, frozen", ("08", "Fruit", "Fruit and nuts, frozen"), ("08", "Fruit", "Other fruit, fresh")),
        ("dried apricots", ("08", "Fruit", "Fruit, dried"), ("08", "Fruit", "Apricots, fresh")),
    ],
)
def test_goods_in_one_state_are_not_taken_in_another(goods: str, taken: Heading, refused: Heading) -> None:
    assert takes(taken, goods)
    assert not takes(refused, goods)


@pytest.mark.parametrize(
    ("goods", "heading"),
    [
        ("bomber jacket, knit cuffs and collar", ("62", WOVEN_CHAPTER, "Jackets")),
        ("brassiere, knitted", ("62", WOVEN_CHAPTER, "Brassieres, whether or not knitted or crocheted")),
        ("smoked salmon, frozen", ("03", "Fish", "Fish, dried, salted or in brine; smoked fish")),
        ("salted duck eggs", ("04", "Eggs", "Eggs in shell, fresh, preserved or cooked")),
        ("tights, not knitted by hand", ("61", KNITTED_CHAPTER, "Tights")),
        ("machine for frozen drinks", ("84", "Machinery", "Refrigerators and freezers")),
    ],
)
def test_what_is_said_of_a_part_or_in_two_ways_and_what_is_open_refuses_nothing(goods: str, heading: Heading) -> None:
    assert takes(heading, goods)


@pytest.mark.parametrize(
    ("name", "description", "heading"),
    [
        ("Bathrobe women", "Material: Cotton; Fabric Type: Knitted", "6108"),
        ("Bathrobe women", "Material: Cotton; Fabric Type: Woven", "6208"),
        ("Raspberries", "fresh", "0810"),
        ("Raspberries", "frozen", "0811"),
    ],
)
def test_the_state_decides_the_heading(
    methods: dict[ScheduleName, Method], name: str, description: str, heading: str
) -> None:
    code = classify(Product(name, description), methods[ScheduleName.EU_CN]).code
    assert code is not None
    assert code.heading == heading
