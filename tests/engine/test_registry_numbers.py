"""A substance that a CAS Registry Number or a UN number names is read by its name, unless the number is of something
that the goods only contain, or several numbers make a mixture."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcs.engine.classify import classify
from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.engine.reading.registry_numbers import with_names
from pcs.engine.result import Result
from pcs.tariff.registry_numbers import is_registry_number
from pcs.tariff.revision import ScheduleName
from pcs.tariff.starter.pack import PackError, knowledge, read_chapter, substances_in

NAMES = {
    "67-63-0": "isopropyl alcohol",
    "UN1219": "isopropyl alcohol",
    "64-17-5": "ethyl alcohol",
    "UN1170": "ethyl alcohol",
}


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("CAS 67-63-0", "isopropyl alcohol"),
        ("cas no. 67-63-0, drum", "isopropyl alcohol, drum"),
        ("67-63-0", "isopropyl alcohol"),
        ("UN 1219", "isopropyl alcohol"),
        ("IPA 99.9 % min, 160 kg HDPE drum, UN1219", "isopropyl alcohol, IPA 99.9 % min, 160 kg HDPE drum"),
        ("solvent (CAS# 67-63-0) UN 1219 200 L", "isopropyl alcohol, solvent 200 L"),
        ("solvent in IBC, CAS 67-63-0", "isopropyl alcohol, solvent in IBC"),
        ("solvent 67-63-0, UN1170", "isopropyl alcohol, solvent"),
    ],
)
def test_a_number_in_the_name_is_read_as_its_substance(name: str, read: str) -> None:
    assert with_names(Product(name), NAMES).name == read


@pytest.mark.parametrize(
    "name",
    [
        "hand gel, contains 67-63-0",
        "wipes with isopropanol, CAS 67-63-0",
        "test strips for CAS 67-63-0",
        "67-63-0, 64-17-5",
        "solution of 67-63-0",
        "contains 67-63-0, 5 %",
        "part 67-63-01",
        "part A67-63-0",
        "67-63-1",
        "7732-18-5",
        "un 1219",
        "UN12190",
    ],
)
def test_other_numbers_stay_as_they_are(name: str) -> None:
    assert with_names(Product(name), NAMES) == Product(name)


def test_a_number_in_the_description_is_read_where_it_stands() -> None:
    product = Product("Solvent", "Colour: clear\nCas number: 67-63-0\nUN1219")
    assert with_names(product, NAMES).description == "Colour: clear\nisopropyl alcohol\nUN1219"


@given(st.text(max_size=200), st.text(max_size=200))
def test_what_names_no_known_substance_is_not_touched(name: str, description: str) -> None:
    assert with_names(Product(name, description), {}) == Product(name, description)


@given(st.integers(10, 9_999_999), st.integers(0, 99))
def test_one_last_digit_of_ten_is_right(first: int, second: int) -> None:
    assert sum(is_registry_number(f"{first}-{second:02}-{last}") for last in range(10)) == 1


@pytest.mark.parametrize("line", ["r: 67-63-1=isopropyl alcohol", "r: 1219=isopropyl alcohol", "r: 67-63-0"])
def test_the_pack_takes_no_number_that_is_none(line: str) -> None:
    with pytest.raises(PackError, match=r"29.txt, line 3"):
        read_chapter(["# 29 Chemicals", "@2905 Alcohols", line], name="29.txt")


def test_every_substance_of_the_pack_is_classified_under_its_heading_by_its_number(
    methods: dict[ScheduleName, Method],
) -> None:
    method = methods[ScheduleName.US_HTS]
    assert method.substances == substances_in(knowledge())
    assert len(method.substances) > 500
    wrong = []
    headings = [heading for chapter in knowledge() for heading in chapter.headings if heading.substances]
    for heading in headings:
        for number in heading.substances:
            found = classify(Product(number), method).answer
            if not isinstance(found, Result) or found.code.heading != heading.code:
                wrong.append((number, heading.substances[number], heading.code))
    assert len(wrong) <= len(method.substances) // 20, wrong
