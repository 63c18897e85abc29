"""What `pcs evaluate` computes, on outcomes whose figures are known by hand."""

from pathlib import Path

import pytest

from pcs.engine.determination import Determination, Reason, Undetermined
from pcs.engine.product import Product
from pcs.engine.result import Alternative, Result
from pcs.evaluation.cases import Case, CaseError, read_cases
from pcs.evaluation.metrics import summarise
from pcs.evaluation.outcome import CaseOutcome
from pcs.evaluation.report import as_json, as_markdown
from pcs.tariff.code import Code
from pcs.tariff.revision import Revision, ScheduleName

REVISION = Revision(ScheduleName.EU_CN, "2025", "digest")


def outcome(
    right: str, answered: str | None, *, confidence: float | None = None, others: tuple[str, ...] = ()
) -> CaseOutcome:
    alternatives = tuple(Alternative(Code(code), "", None, "") for code in others)
    answer: Result | Undetermined = Undetermined(Reason.INSUFFICIENT_INFORMATION, "Nothing is said.")
    if answered:
        answer = Result(Code(answered), "", "", REVISION.name, confidence=confidence, alternatives=alternatives)
    case = Case("1", ScheduleName.EU_CN, Product("goods"), Code(right))
    return CaseOutcome(case, Determination(REVISION, answer), 2.0)


def test_shares_are_counted_at_each_level_and_among_alternatives() -> None:
    summary = summarise(
        [
            outcome("61091000", "61091000"),
            outcome("61091000", "61099020"),
            outcome("61091000", "62052000", others=("61091000",)),
            outcome("61091000", None),
        ]
    )
    assert summary.exact.value == 0.25
    assert [summary.first[digits].value for digits in (2, 4, 6, 8)] == [0.5, 0.5, 0.25, 0.25]
    assert summary.top_five[8].value == 0.5
    assert summary.answered == 0.75
    assert summary.exact.low <= 0.25 <= summary.exact.high
    assert summary.confusions == (("6109", "6205", 1), ("6109", "none", 1))


def test_a_report_shows_the_baseline_beside_the_figure() -> None:
    before = as_json({"set": summarise([outcome("61091000", None)])}, revisions={"EU-CN": "2025"})
    before["sets"]["set"]["first"] = {str(key): value for key, value in before["sets"]["set"]["first"].items()}
    table = as_markdown({"set": summarise([outcome("61091000", "61091000")])}, baseline=before)
    assert "100.0 (100-100), was 0.0" in table


def test_a_report_shows_the_target_beside_the_figure_and_whether_it_is_met() -> None:
    half = summarise([outcome("61091000", "61091000"), outcome("61091000", "62052000")])
    wanted = {"sets": {"set": {"4": 50, "6": 50.5, "full": 40}}, "ece": 0.08}
    table = as_markdown({"set": half}, targets=wanted)
    assert "50.0 (50-50) of 50, met" in table.replace("(0-100)", "(50-50)")
    assert "of 50.5, missed" in table


def test_a_label_of_eight_digits_is_met_by_a_code_below_it() -> None:
    found = outcome("84799095", "8479909596")
    assert found.is_exact
    assert found.is_right(10)
    assert not outcome("84799095", "8479909496").is_exact


def test_a_line_that_is_no_case_is_an_error_with_its_number(tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"id": "1", "schedule": "EU-CN", "name": "tee", "code": "61091000"}\n{"id": "2"}\n')
    with pytest.raises(CaseError, match=r"cases\.jsonl, line 2"):
        read_cases(file)
