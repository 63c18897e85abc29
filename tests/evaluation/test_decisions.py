"""Decisions in memory are found as the service finds them: the same goods first, and those that rare words lead to."""

from pcs.engine.decided import MOST_LOOKED_AT, Decided, Sameness
from pcs.engine.product import Product
from pcs.evaluation.decisions import KnownDecisions
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

CN, HTS = ScheduleName.EU_CN, ScheduleName.US_HTS


def known(*names: str, schedule: ScheduleName = CN) -> KnownDecisions:
    return KnownDecisions((schedule, Product(name), Decided(name, name, Code("69120029"))) for name in names)


def test_the_same_text_is_found_in_any_case_and_spacing_newest_first() -> None:
    found = known("Blue mug", "BLUE  MUG", "blue mugs").near(Product("blue mug"), CN)
    assert [one.reference for one in found[:2]] == ["BLUE  MUG", "Blue mug"]
    assert [one.sameness for one in found] == [Sameness.TEXT, Sameness.TEXT, Sameness.OTHER]


def test_another_description_is_other_goods() -> None:
    [found] = known("blue mug").near(Product("blue mug", "of steel"), CN)
    assert found.sameness is Sameness.OTHER


def test_rare_words_come_before_common_ones_and_the_work_is_bounded() -> None:
    many = [f"{word} number{number}" for number in range(500) for word in ("red", "shirt")]
    found = known("zanzibar shirt", *many).near(Product("zanzibar red shirt"), CN)
    assert found[0].reference == "zanzibar shirt"
    assert len(found) == MOST_LOOKED_AT


def test_another_schedule_s_decisions_are_not_found() -> None:
    assert known("blue mug", schedule=HTS).near(Product("blue mug"), CN) == ()
