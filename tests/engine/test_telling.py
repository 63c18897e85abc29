"""What was understood, in a broker's words: it stands in what was said, and it is the same reading that decides."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcs.engine.classify import classify
from pcs.engine.determination import Undetermined
from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.engine.reading.reading import reading_of
from pcs.engine.reading.telling import understood
from pcs.engine.reading.understood import MadeOf, Measure, Understood
from pcs.engine.result import REVIEW_BELOW, Result
from pcs.engine.text import LONGEST_TEXT, plain
from pcs.tariff.revision import ScheduleName

HANDBAG = Product("Leather handbag", "Woman's shoulder bag, outer surface of cow leather, cotton lining")


@pytest.mark.parametrize(
    ("product", "told"),
    [
        (HANDBAG, "leather handbag; made of: leather; outer surface: cow leather; lining: cotton"),
        (Product("Toothbrush, not electric, without case"), "toothbrush; not: electric, case"),
        (
            Product("Passenger car, petrol engine, 1,998 cm3", "valued over $20,000"),
            "passenger car; measures: volume 1,998 cm3, value over $20,000",
        ),
        (
            Product("Men's shirt", "60% cotton 40% polyester, metal buttons, 200 g/m2"),
            "men's shirt; made of: cotton 60%, polyester 40%; fastening: metal; measures: weight per area 200 g/m2",
        ),
        (
            Product("Brush for dogs", "steel bristles, wooden handle, 20 cm long"),
            "dogs brush; made of: steel, bristles; handle: wooden; measures: length 20 cm; use: for dogs",
        ),
        (Product("Milk powder", "fat 26%, in bags of 25 kg"), "milk powder; measures: fat 26%, weight 25 kg"),
    ],
)
def test_a_reading_is_told_part_by_part(product: Product, told: str) -> None:
    assert str(understood(reading_of(product))) == told


def test_a_row_is_shown_only_for_what_was_said() -> None:
    assert Understood("kettle").rows == [("The goods", "kettle")]
    assert Understood().rows == []
    assert not str(Understood())
    found = Understood("bag", (MadeOf("", "leather"), MadeOf("lining", "silk", 12.5)), (Measure("width", "3 cm"),))
    assert found.rows == [
        ("The goods", "bag"),
        ("Made of", "leather"),
        ("Lining", "silk 12.5%"),
        ("Measures", "width 3 cm"),
    ]


@given(text=st.text(max_size=300))
def test_every_material_and_denial_that_is_told_stands_in_the_text(text: str) -> None:
    found = understood(reading_of(Product("goods", text)))
    said = " ".join(plain(f"goods\n{text}").split())
    for told in (*(each.material for each in found.made_of), *found.denied):
        assert all(word in said for word in told.removesuffix(" ...").split())


@pytest.mark.parametrize("piece", ["leather lining ", "60% cotton, ", "for dogs, ", "not red, ", "3 cm x ", "a" * 50])
def test_telling_takes_linear_time_and_has_a_bounded_length(piece: str) -> None:
    reading = reading_of(Product(piece * 3, piece * (LONGEST_TEXT // len(piece))))
    started = time.perf_counter()
    found = understood(reading)
    assert time.perf_counter() - started < 1
    assert len(str(found)) < 8_000


def test_the_reading_is_the_first_step_and_in_the_result(methods: dict[ScheduleName, Method]) -> None:
    found = classify(HANDBAG, methods[ScheduleName.US_HTS])
    assert found.result is not None
    assert found.result.reading.goods == "leather handbag"
    assert found.steps[0].name == "read the goods"
    assert found.steps[0].outcome == str(found.result.reading)


def test_goods_without_a_code_were_read_too(methods: dict[ScheduleName, Method]) -> None:
    found = classify(Product("various parts for test"), methods[ScheduleName.US_HTS]).answer
    assert isinstance(found, Undetermined)
    assert (found.reading.goods, found.reading.purpose) == ("various parts", ("for test",))


def test_review_and_reliable_digits_follow_from_the_threshold(methods: dict[ScheduleName, Method]) -> None:
    method = methods[ScheduleName.EU_CN]

    def judged(review_below: float) -> Result:
        found = classify(Product("cotton t-shirt"), method, review_below=review_below).result
        assert found is not None
        return found

    usual = judged(REVIEW_BELOW)
    assert usual == classify(Product("cotton t-shirt"), method).result
    assert usual.confidence is not None
    exactly, above = judged(usual.confidence), judged(usual.confidence + 0.0001)
    assert (exactly.needs_review, exactly.confident_digits) == (False, 8)
    assert above.needs_review
    assert (above.confident_digits or 0) < 8
    assert judged(1.0).confident_digits == 0
    assert not judged(0.0).needs_review
