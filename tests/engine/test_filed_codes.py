"""The code that goods are filed under beside the one found: a small schedule of bags, before and after a revision."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcs.engine.determination import Determination, Reason, Undetermined
from pcs.engine.filed.comparing import compare, shared_digits
from pcs.engine.filed.comparison import Agreement, Comparison, filed_code
from pcs.engine.result import Alternative, Level, Result
from pcs.tariff.code import Code
from pcs.tariff.former import former_lines
from pcs.tariff.rates import ad_valorem
from pcs.tariff.revision import Revision, ScheduleName
from pcs.tariff.schedule import Duty, PublishedRow, Schedule, build

REVISION = Revision(ScheduleName.US_HTS, "2026-rev-2", "digest")


def row(code: str, depth: int, text: str, rate: str = "", *, line: bool = False) -> PublishedRow:
    return PublishedRow(Code(code), depth, text, declarable=line, duty=Duty(rate) if rate else None)


ROWS = (
    row("42", 0, "Leather"),
    row("4202", 1, "Bags"),
    row("420221", 2, "Handbags of leather"),
    row("4202213000", 3, "Of reptile leather", "5.3%", line=True),
    row("4202216000", 3, "Valued not over $20 each", "10%", line=True),
    row("4202219000", 3, "Valued over $20 each", "9%", line=True),
    row("420222", 2, "Handbags of plastics"),
    row("4202221500", 3, "Of sheeting", "16%", line=True),
    row("4202222000", 3, "Of straw", "4¢ each + 6%", line=True),
    row("43", 0, "Furskins"),
    row("4303", 1, "Clothing of furskin"),
    row("4303100030", 2, "Coats", "Free", line=True),
)
NOW = build(REVISION, ROWS)


def edition(name: str, *rows: PublishedRow) -> Schedule:
    return build(replace(REVISION, edition=name, digest=name), rows)


def found(code: str = "4202219000", **changed: Any) -> Determination:
    node = NOW.get(code)
    assert node is not None
    levels = (("4202", 0.95), ("420221", 0.8), (code, 0.6))
    result = Result(
        code=Code(code),
        description=NOW.description(node),
        reasoning="It is a handbag.",
        schedule_revision=REVISION.name,
        hierarchy=tuple(Level(Code(level), "", sure) for level, sure in levels),
        confidence=0.6,
        duty=NOW.duty(node) or Duty(),
    )
    return Determination(REVISION, replace(result, **changed))


def compared(filed: str, determination: Determination | None = None, *earlier: Schedule) -> Comparison:
    return compare(Code(filed), determination or found(), NOW, former_lines(NOW, earlier))


def test_the_line_found_agrees_and_nothing_is_at_stake() -> None:
    one = compared("4202219000")
    assert (one.agreement, one.digits, one.confidence, one.risk) == (Agreement.AGREES, 10, 0.6, 0.0)
    assert (one.filed_duty, one.found_duty, one.duty_difference) == ("9%", "9%", 0.0)


@pytest.mark.parametrize(
    ("filed", "said", "sure", "difference"),
    [
        ("4202216000", "agrees to 6 digits", 0.6, -1.0),
        ("4202221500", "agrees to 4 digits", 0.8, -7.0),
        ("4303100030", "differs", 0.95, 9.0),
    ],
)
def test_another_line_is_as_surely_wrong_as_the_first_level_that_parts_from_it(
    filed: str, said: str, sure: float, difference: float
) -> None:
    one = compared(filed)
    assert (one.said, one.confidence, one.duty_difference) == (said, sure, difference)
    assert one.risk == pytest.approx(abs(difference) * sure)


def test_the_reason_names_both_lines_from_where_they_part_and_the_fact_between_them() -> None:
    other = Alternative(Code("4202216000"), "", 0.2, "Is it valued over $20?")
    one = compared("4202216000", found(alternatives=(other,)))
    assert one.reason == (
        "Both are in 4202.21. 4202.21.60.00 is for “Valued not over $20 each”, 4202.21.90.00 for “Valued over $20 "
        "each”. Is it valued over $20?"
    )


def test_rates_that_are_no_mere_percentage_are_shown_and_not_compared() -> None:
    one = compared("4202222000")
    assert (one.filed_duty, one.found_duty) == ("4¢ each + 6%", "9%")
    assert one.duty_difference is None
    assert one.risk is None


def test_a_code_above_the_lines_agrees_as_far_as_it_goes() -> None:
    one = compared("420221")
    assert (one.said, one.confidence) == ("agrees to 6 digits", 0.8)
    assert one.reason.startswith("4202.21 is too short to declare goods under; ")


def test_a_line_that_no_revision_had_is_wrong_for_certain() -> None:
    one = compared("4202217777")
    assert (one.agreement, one.confidence, one.risk) == (Agreement.NO_SUCH_LINE, 1.0, None)
    assert one.reason.startswith("US-HTS 2026-rev-2 has no line 4202.21.77.77. ")


def test_a_line_whose_words_stand_elsewhere_now_is_superseded_by_it_with_the_duty_that_it_had() -> None:
    before = edition("2025-rev-1", *ROWS[:3], row("4202214000", 3, "Of reptile leather", "6%", line=True), *ROWS[4:])
    one = compared("4202214000", None, before)
    assert (one.said, one.confidence) == ("superseded by 4202.21.30.00", 1.0)
    assert (one.filed_duty, one.duty_difference, one.risk) == ("6%", 3.0, 3.0)
    assert one.filed_description == "Bags > Handbags of leather > Of reptile leather"
    assert "was a line until 2025-rev-1" in one.reason


def test_the_latest_of_the_earlier_revisions_tells_and_a_later_one_does_not() -> None:
    def had(name: str, words: str) -> Schedule:
        return edition(name, *ROWS, row("4303905000", 2, words, "1%", line=True))

    former = former_lines(NOW, [had("2025-rev-9", "Nine"), had("2025-rev-10", "Ten"), had("2026-rev-3", "Later")])
    assert former[Code("4303905000")].edition == "2025-rev-10"
    assert former_lines(NOW, [had("2026-rev-3", "Later")]) == {}


def test_lists_begin_with_what_is_at_stake_and_end_with_what_agrees() -> None:
    nothing = Determination(REVISION, Undetermined(Reason.INSUFFICIENT_INFORMATION, "Say what it is."))
    in_order = [
        compared("4303100030"),  # 9 points of duty
        compared("4202216000"),  # 1 point
        compared("4202217777"),  # a line that does not exist
        compared("4202222000"),  # a rate that is more than a percentage
        compared("4202216000", found(duty=Duty("10%"))),  # another line at the same duty
        compared("4202219000", nothing),
        compared("4202219000"),
    ]
    priorities = [one.priority for one in in_order]
    assert priorities == sorted(set(priorities), reverse=True)


def test_goods_without_an_answer_are_not_compared_but_a_line_that_is_gone_is_told() -> None:
    nothing = Determination(REVISION, Undetermined(Reason.INSUFFICIENT_INFORMATION, "Say what it is."))
    one = compared("4202219000", nothing)
    assert (one.agreement, one.confidence, one.found) == (Agreement.NOT_COMPARED, None, None)
    assert compared("4202217777", nothing).agreement is Agreement.NO_SUCH_LINE


def test_the_starter_schedule_cannot_tell_that_a_line_does_not_exist() -> None:
    starter = build(Revision(ScheduleName.US_HTS, "starter-1", "digest"), ROWS)
    one = compare(Code("4202217777"), found(), starter, {})
    assert one.said == "agrees to 6 digits"
    known = "4202.21.90.00 for “Bags > Handbags of leather > Valued over $20 each”."
    assert f"4202.21.77.77 is not known here. These goods: {known}" in one.reason
    assert "load the official one" in one.reason


def test_a_code_of_taric_is_compared_by_the_digits_that_the_nomenclature_has() -> None:
    revision = Revision(ScheduleName.EU_CN, "2026", "digest")
    cn = build(revision, (row("4202", 0, "Bags"), row("42022100", 1, "Of leather", line=True)))
    answer = Determination(revision, Result(Code("42022100"), "Bags", "", "2026", confidence=0.7))
    one = compare(Code("4202210090"), answer, cn, {})
    assert (one.agreement, one.digits) == (Agreement.AGREES, 8)
    assert "Compared by its first 8 digits: the EU-CN has no more." in one.reason


@pytest.mark.parametrize(
    "text", ["610910001", "6109", "61091000123", "6109.10.OO", "", "\uff16\uff11\uff10\uff19\uff11\uff10"]
)
def test_what_is_no_filed_code_is_refused_and_never_padded(text: str) -> None:
    with pytest.raises(ValueError, match=r"digits"):
        filed_code(text)


@pytest.mark.parametrize("rate", ["See additional U.S. note 3", "5% on the case", "4¢/kg", "", "1" * 50_000 + "%"])
def test_no_other_rate_passes_for_a_percentage(rate: str) -> None:
    assert ad_valorem(rate) is None


@given(st.from_regex(r"(?:\d\d){3,5}", fullmatch=True), st.from_regex(r"(?:\d\d){3,5}", fullmatch=True))
def test_shared_digits_are_the_longest_common_beginning_in_pairs(one: str, other: str) -> None:
    digits = shared_digits(one, other)
    assert one[:digits] == other[:digits]
    assert digits == min(len(one), len(other)) or one[: digits + 2] != other[: digits + 2]
    assert digits == shared_digits(other, one)
