"""What asking gains, and what gives a case away. The subjects are in the words that customs uses, of goods made up."""

import datetime as dt

import pytest

from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.engine.result import Result
from pcs.evaluation.cases import Case
from pcs.evaluation.curve import Pair, as_markdown, curve, enough
from pcs.evaluation.leaks import leaks
from pcs.evaluation.outcome import CaseOutcome
from pcs.tariff.code import Code
from pcs.tariff.revision import Revision, ScheduleName
from pcs.tariff.ruling import Ruling, RulingSource

RIGHT, WRONG = Code("6109100012"), Code("6110200010")
DAY = dt.date(2026, 5, 1)
CASE = Case("N1", ScheduleName.US_HTS, Product("padded dog carrier"), RIGHT, DAY)


def pair(confidence: float | None, *, alone: Code = WRONG, assessed: Code = RIGHT, asked: bool = True) -> Pair:
    def outcome(code: Code) -> CaseOutcome:
        result = Result(code, "", "", "2026", confidence=confidence)
        return CaseOutcome(CASE, Determination(Revision(ScheduleName.US_HTS, "2026", "digest"), result), 1.0)

    return Pair(outcome(alone), outcome(assessed), tokens=100 * asked, cost=0.5 * asked, asked=asked)


def test_the_curve_asks_the_least_certain_first_and_says_where_nine_tenths_of_the_gain_are_reached() -> None:
    pairs = [pair(0.9, alone=RIGHT), pair(0.1), pair(0.8, alone=RIGHT), pair(None), pair(0.7, alone=RIGHT)]
    points = curve(pairs)
    assert [(point.asked, point.six) for point in points] == [
        (0, 0.6),
        (0.2, 0.8),
        (0.4, 1),
        (0.6, 1),
        (0.8, 1),
        (1, 1),
    ]
    best = enough(points)
    assert best is not None
    assert (best.ask_below, best.tokens, best.cost, best.whole) == (0.7, 200, 1.0, 1.0)
    assert "PCS_REVIEWER_ASK_BELOW=0.70, 40% asked" in as_markdown(points)


def test_the_curve_ends_where_nobody_was_asked_any_more() -> None:
    points = curve([pair(0.9, alone=RIGHT, asked=False), pair(0.1), pair(0.8, alone=RIGHT, asked=False)])
    assert [(point.asked, point.tokens) for point in points] == [(0, 0), (pytest.approx(1 / 3), 100)]
    assert points[-1].ask_below == 0.8


def test_where_asking_gains_nothing_that_is_said() -> None:
    assert "gained nothing" in as_markdown(curve([pair(0.2, assessed=WRONG), pair(0.4, alone=RIGHT)]))
    assert curve([]) == []


ALIKE = [
    ("the case under another number", "The tariff classification of a padded dog carrier from China", RIGHT, DAY, True),
    ("later", "Padded Dog Carriers", RIGHT, dt.date(2026, 8, 1), True),
    ("no date", "padded carrier for a dog", RIGHT, None, True),
    ("earlier: a precedent", "A padded dog carrier", RIGHT, dt.date(2020, 1, 1), False),
    ("another code", "A padded dog carrier", WRONG, DAY, False),
    ("other goods", "A padded jacket", RIGHT, DAY, False),
    ("many goods", "A padded dog carrier, a lead, a bowl, a brush and a whistle", RIGHT, DAY, False),
]


@pytest.mark.parametrize(
    ("subject", "code", "date", "is_one"), [one[1:] for one in ALIKE], ids=[one[0] for one in ALIKE]
)
def test_a_ruling_with_the_case_s_words_and_code_of_its_day_or_later_gives_it_away(
    *, subject: str, code: Code, date: dt.date | None, is_one: bool
) -> None:
    ruling = Ruling("N2", RulingSource.CROSS, date, subject, codes=(code,))
    assert leaks(CASE, [ruling]) == (frozenset({"N2"}) if is_one else frozenset())
