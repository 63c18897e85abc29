"""A question of the pack that decides nothing is refused, with the sentence that says why."""

from collections.abc import Mapping

import pytest

from pcs.engine.fact_checks import fact_problems
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Schedule
from pcs.tariff.starter.pack import read_chapter

NONE: Mapping[ScheduleName, Schedule] = {}


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ("outer [outer]: leather => 990110; cotton, polyester => 990120", None),
        ("fat [share of fat]: up to 1% => 990110; over 1% up to 6% => 990120; over 6% => 990130", None),
        ("width [width]: up to 30 cm => 990110; over 30 cm => 990120", None),
        ("value [value]: up to 5 USD per dozen => 990110; over 5 USD per dozen => 990120", None),
        ("type [goods]: other => 990110; chain => 990120", "'other' says nothing."),
        (
            "type [goods]: chains => 990110; chain => 990120",
            "'chains' and 'chain' read the same and lead different ways.",
        ),
        ("type [goods]: chains => 990110; chain => 990110", None),
        ("fat [goods]: double 48% => 990110", "the number of 'double 48%' is not read."),
        ("width [width]: up to 5 kg => 990110", "'up to 5 kg' does not measure width."),
        ("paint [paint]: red => 990110", "a question cannot ask about [paint]."),
        (
            "width [width]: up to 30 cm => 990110; over 20 cm => 990120",
            "'up to 30 cm' and 'over 20 cm' hold the same numbers and lead different ways.",
        ),
    ],
)
def test_a_question_that_decides_nothing_is_refused(asked: str, problem: str | None) -> None:
    chapter = read_chapter(["# 99 Made up for this test", "@9901 made-up goods", f"d: 9901 {asked}"], name="99.txt")
    name = asked.split(" [", maxsplit=1)[0]
    expected = [] if problem is None else [f"9901 {name!r}: {problem}"]
    assert list(fact_problems([chapter], NONE)) == expected
