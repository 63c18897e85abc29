"""What a schedule's provisions ask of goods is counted for each line of a heading: its own and those above it, below
the heading."""

import pytest

from pcs.engine.law import law_of
from pcs.engine.legal.requirements import Requirements
from pcs.engine.legal.terms import SaidWords
from pcs.engine.product import Product
from pcs.engine.reading.reading import reading_of
from pcs.engine.retrieval.provisions import lines_by_heading
from pcs.tariff.code import Code
from pcs.tariff.revision import Revision, ScheduleName
from pcs.tariff.schedule import PublishedRow, build

ROWS = (
    ("09", 0, "Coffee and tea"),
    ("0901", 1, "Coffee"),
    ("090111", 2, "Roasted"),
    ("09011110", 3, "Not decaffeinated"),
    ("09011190", 3, "Decaffeinated, whether or not ground"),
    ("090190", 2, "In pods, decaffeinated"),
    ("09019010", 3, "Of a value over 20 USD"),
    ("09019090", 3, "Other"),
    ("0902", 1, "Decaffeinated tea"),
    ("09021000", 2, "In pods"),
    ("09029000", 2, "Other"),
)


def counts(goods: str, heading: str) -> list[list[int]] | None:
    """What the lines of a heading count for these goods: requirements met, contradicted, intervals missed."""
    rows = [PublishedRow(Code(code), depth, text, declarable=len(code) == 8) for code, depth, text in ROWS]
    schedule = build(Revision(ScheduleName.EU_CN, "made up", "2026-01-01"), rows)
    law, lines = law_of(schedule), lines_by_heading(schedule)
    places = [place for place, line in enumerate(lines) if line.code and line.code.heading == heading]
    requirements = Requirements(schedule, lines, law.asking, law.affirmed)
    found = requirements.counts(slice(places[0], places[-1] + 1), SaidWords(reading_of(Product(goods))))
    return None if found is None else found.tolist()


@pytest.mark.parametrize(
    ("goods", "met", "contradicted", "outside"),
    [
        ("coffee, not decaffeinated", [1, 0, 0, 0], [0, 1, 1, 1], [0, 0, 0, 0]),
        ("coffee, not decaffeinated, not in pods", [1, 0, 0, 0], [0, 1, 1, 1], [0, 0, 0, 0]),
        ("coffee, not roasted", [0, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0]),
        ("decaffeinated coffee worth 25 USD", [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0]),
        ("coffee worth 5 USD", [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0]),
    ],
)
def test_each_line_counts_what_is_asked_for_on_its_path(
    goods: str, met: list[int], contradicted: list[int], outside: list[int]
) -> None:
    assert counts(goods, "0901") == [met, contradicted, outside]


@pytest.mark.parametrize("goods", ["coffee", "coffee, not ground", "coffee, not for tea"])
def test_what_no_provision_of_the_heading_asks_for_counts_nothing(goods: str) -> None:
    assert counts(goods, "0901") is None


def test_what_a_headings_own_words_affirm_is_not_counted_for_its_lines() -> None:
    assert counts("tea, not roasted, not decaffeinated", "0902") is None
