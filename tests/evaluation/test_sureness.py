"""How far the doubt can be trusted, on outcomes whose figures are known by hand: a set and a level at a time."""

import json
from dataclasses import asdict

import numpy as np
import pytest

from pcs.engine.determination import Determination, Reason, Undetermined
from pcs.engine.product import Product
from pcs.engine.result import Level, Result
from pcs.evaluation.cases import Case
from pcs.evaluation.metrics import summarise
from pcs.evaluation.outcome import CaseOutcome
from pcs.evaluation.report import as_json, as_markdown
from pcs.evaluation.sureness import AtLeast, auc, calibration_error, error_by_chance, prediction_sets, sureness
from pcs.tariff.code import Code
from pcs.tariff.revision import Revision, ScheduleName

REVISION = Revision(ScheduleName.EU_CN, "2025", "digest")
TEE, OTHER_TEE, SHIRT = "61091000", "61099020", "62052000"


def answered(
    right: str, code: str, heading: float, six: float, full: float, *, headings: str = "", subheadings: str = ""
) -> CaseOutcome:
    levels = tuple(Level(Code(code[:digits]), "", sure) for digits, sure in ((4, heading), (6, six), (8, full)))
    result = Result(
        Code(code),
        "",
        "",
        REVISION.name,
        hierarchy=levels,
        confidence=full,
        likely_headings=tuple(map(Code, headings.split())),
        likely_subheadings=tuple(map(Code, subheadings.split())),
    )
    return CaseOutcome(
        Case("1", ScheduleName.EU_CN, Product("goods"), Code(right)), Determination(REVISION, result), 2.0
    )


def unanswered() -> CaseOutcome:
    nothing = Undetermined(Reason.INSUFFICIENT_INFORMATION, "Nothing is said.")
    case = Case("1", ScheduleName.EU_CN, Product("goods"), Code(TEE))
    return CaseOutcome(case, Determination(REVISION, nothing), 2.0)


def test_each_level_has_its_own_doubt() -> None:
    found = [answered(TEE, OTHER_TEE, 0.95, 0.85, 0.75)] * 4
    errors = [sureness(found, digits).calibration_error for digits in (4, 6, None)]  # type: ignore[union-attr]
    assert errors == pytest.approx([0.05, 0.85, 0.75])  # the heading is right, what lies below it is not


def test_calibration_error_is_the_gap_between_sureness_and_rightness_in_each_bin() -> None:
    assert calibration_error(np.array([0.9] * 4), np.zeros(4)) == pytest.approx(0.9)
    assert calibration_error(np.array([0.5, 0.5]), np.array([1.0, 0.0])) == pytest.approx(0.0)
    two_bins = calibration_error(np.array([0.2, 0.2, 0.8, 0.8]), np.array([1.0, 0.0, 0.0, 1.0]))
    assert two_bins == pytest.approx(0.3)  # too little and too much do not cancel


def test_the_error_by_chance_is_what_confidences_that_are_right_have_on_average() -> None:
    rng = np.random.default_rng(5)
    for cases in (79, 1160):
        confidence = rng.beta(2, 2, cases)
        drawn = [calibration_error(confidence, (rng.random(cases) < confidence).astype(float)) for _ in range(400)]
        assert error_by_chance(confidence) == pytest.approx(np.mean(drawn), rel=0.05)


def test_the_area_is_how_often_a_right_answer_is_surer_than_a_wrong_one() -> None:
    assert auc(np.array([0.9, 0.8, 0.3]), np.array([1.0, 1.0, 0.0])) == 1.0
    assert auc(np.array([0.9, 0.8, 0.3]), np.array([0.0, 1.0, 1.0])) == 0.0
    assert auc(np.array([0.5, 0.5]), np.array([1.0, 0.0])) == 0.5
    assert auc(np.array([0.5, 0.5]), np.array([1.0, 1.0])) is None


def test_what_reaches_a_threshold_is_counted_with_how_much_of_it_is_right() -> None:
    found = [
        answered(TEE, TEE, 0.9, 0.9, 0.9),
        answered(TEE, SHIRT, 0.8, 0.8, 0.8),
        answered(TEE, TEE, 0.55, 0.55, 0.55),
        answered(TEE, SHIRT, 0.1, 0.1, 0.1),
        unanswered(),
    ]
    doubt = sureness(found, None)
    assert doubt is not None
    assert doubt.at_least[0] == AtLeast(0.5, 0.75, 2 / 3)
    assert doubt.at_least[3] == AtLeast(0.8, 0.5, 0.5)
    assert doubt.at_least[4] == AtLeast(0.9, 0.25, 1.0)
    assert doubt.nine_of_ten == 0.2  # of all five: the surest alone, before a wrong one comes
    none_so_sure = sureness([answered(TEE, TEE, 0.4, 0.4, 0.4)], None)
    assert none_so_sure is not None
    assert none_so_sure.at_least[0] == AtLeast(0.5, 0.0, None)


def test_equally_sure_answers_are_taken_together_or_not_at_all() -> None:
    tied = [answered(TEE, TEE, 0.9, 0.9, 0.9), answered(TEE, SHIRT, 0.9, 0.9, 0.9)]
    assert sureness(tied, 4).nine_of_ten == 0.0  # type: ignore[union-attr]
    nine = [answered(TEE, TEE, 0.9, 0.9, 0.9)] * 9 + [answered(TEE, SHIRT, 0.9, 0.9, 0.9)]
    assert sureness(nine, 4).nine_of_ten == 1.0  # type: ignore[union-attr]


def test_prediction_sets_are_counted_among_the_answers() -> None:
    found = [
        answered(TEE, TEE, 0.9, 0.9, 0.9, headings="6109 6205", subheadings="610910"),
        answered(TEE, SHIRT, 0.9, 0.9, 0.9, headings="6205", subheadings="620520 610990 620530"),
        unanswered(),
    ]
    sets = prediction_sets(found)
    assert (sets["4"].coverage, sets["4"].median_size) == (0.5, 1.5)
    assert (sets["6"].coverage, sets["6"].median_size) == (0.5, 2.0)
    assert prediction_sets([unanswered()]) == {}


def test_the_report_gives_each_set_and_level_by_itself_and_none_together() -> None:
    sure, unsure = answered(TEE, TEE, 0.95, 0.95, 0.95, headings="6109"), answered(TEE, SHIRT, 0.5, 0.4, 0.3)
    summaries = {"good": summarise([sure]), "bad": summarise([unsure])}
    table = as_markdown(summaries, targets={"ece": 0.08})
    rows = [line for line in table.splitlines() if line.startswith(("| good", "| bad"))]
    assert "| good | full | 0.050 of 0.08, met | 0.174 | - | 100.0 | 100.0: 100.0 |" in table
    assert "| bad | 4 | 0.500 of 0.08, missed | 0.399 | - | 0.0 | 100.0: 0.0 | 0.0: - |" in table
    assert "| good | 100.0 | 1 | - | - |" in rows
    assert len(rows) == 2 + 6 + 2
    kept = json.loads(json.dumps(as_json(summaries, revisions={"EU-CN": "2025"})))
    assert kept["sets"]["bad"]["sureness"]["6"] == json.loads(json.dumps(asdict(summaries["bad"].sureness["6"])))
    assert set(kept) == {"revisions", "sets"}
