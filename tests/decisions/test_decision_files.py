"""Files of decisions: every row is a decision, or says what is wrong with it."""

import io

import pytest

from pcs.decisions.files import LIMITS, DecisionTable, read_decisions
from pcs.spreadsheets.model import SpreadsheetError
from pcs.tariff.revision import ScheduleName

HEADER = "identifier,name,description,code,schedule\n"


def table(text: str, **how: object) -> DecisionTable:
    return read_decisions(io.BytesIO(text.encode()), LIMITS, **how)  # type: ignore[arg-type]


def test_a_row_gives_goods_code_and_schedule() -> None:
    [row] = table(f"{HEADER}M-1,Blue mug,ceramic,6912.00.29,EU-CN\n").rows()
    assert row.goods is not None
    assert (row.goods.identifier, row.goods.name, row.goods.description) == ("M-1", "Blue mug", "ceramic")
    assert (row.code, row.schedule, row.problem) == ("69120029", ScheduleName.EU_CN, "")


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("M-1,,x,69120029,EU-CN", "name is needed"),
        ("M-1,Mug,,6912,EU-CN", "the code must have 8 digits under EU-CN"),
        ("M-1,Mug,,mug,EU-CN", "the code must have 8 digits under EU-CN"),
        ("M-1,Mug,,69120029,UK", "the schedule must be one of"),
        ("M-1,Mug,,69120029,US-HTS", "the code must have 10 digits under US-HTS"),
    ],
)
def test_a_row_that_is_no_decision_says_why(row: str, problem: str) -> None:
    [found] = table(f"{HEADER}{row}\n").rows()
    assert found.goods is None
    assert problem in found.problem


def test_json_lines_are_read_too() -> None:
    line = '{"name": "Blue mug", "code": "69120029", "schedule": "EU-CN", "id": "M-1"}'
    [row] = table(line, json_lines=True).rows()
    assert row.goods is not None
    assert (row.goods.identifier, row.code) == ("M-1", "69120029")


def test_a_file_of_one_schedule_may_leave_it_out() -> None:
    [row] = table("name,HTS code\nMug,6912.00.4400\n", otherwise=ScheduleName.US_HTS).rows()
    assert (row.code, row.schedule) == ("6912004400", ScheduleName.US_HTS)


@pytest.mark.parametrize(
    ("header", "problem"),
    [("name,schedule", "no column that is called `code`"), ("name,code", "no column that is called `schedule`")],
)
def test_a_file_without_a_needed_column_is_refused(header: str, problem: str) -> None:
    with pytest.raises(SpreadsheetError, match=problem):
        table(f"{header}\na,b\n")
