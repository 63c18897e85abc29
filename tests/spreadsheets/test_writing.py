"""No spreadsheet that leaves has a cell that a program would run, with whatever delimiter it is opened."""

import ast
import csv
import io
import re
import unicodedata
from pathlib import Path

import openpyxl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import pcs
from pcs.spreadsheets.writing import defused, write_csv, write_xlsx

CARRIERS = "=+-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b"
NUMBER = re.compile(r"[+-]\d[\d., \u00a0\u202f]*([eE][+-]?\d+)? ?%?")


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("before", ["", " ", "\u00a0", "\u200b", "\ufeff", "\x00", '"', ' "'])
def test_a_cell_that_a_spreadsheet_would_run_is_defused(carrier: str, before: str) -> None:
    cell = f"{before}{carrier}cmd|' /C calc'!A0"
    assert defused(cell, "|") == f"'{cell}"


@pytest.mark.parametrize("cell", ["\t=1", "\r=1", "\n=1", "\tplain"])
def test_a_cell_that_begins_with_a_break_is_defused(cell: str) -> None:
    assert defused(cell).startswith("'")


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("a;=1+1", "a;'=1+1"),
        ("a; @SUM(A1)", "a;' @SUM(A1)"),
        ("a\n=1+1", "a\n'=1+1"),
        ('a;"=1+1"', 'a;\'"=1+1"'),
        ("black, -soft", "black, -soft"),
    ],
)
def test_the_middle_of_a_cell_is_defused_where_another_program_would_cut_it(cell: str, written: str) -> None:
    assert defused(cell) == written


@pytest.mark.parametrize(
    "cell",
    ["", "T-shirt", "6109.10", "a=b", "it's", "-5", "+3", "-1,234.50", "-1.234,50", "+49 30 1234", "-2e-5", "-5 %"],
)
def test_any_other_cell_stays_as_it_is_also_a_number_with_a_sign(cell: str) -> None:
    assert defused(cell) == cell


CELLS = st.text(
    st.sampled_from(list(CARRIERS + ";,\t\r\n\"|' a1(\u200b\u00a0")) | st.characters(codec="utf-8"), max_size=15
)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.lists(CELLS, min_size=1, max_size=3), min_size=1, max_size=3),
    st.sampled_from(",;\t"),
    st.sampled_from(",;\t|"),
)
@example([['x,"a;=1+1;b']], ",", ";")
@example([['"=1+1']], ",", ";")
@example([["a", 'b;"" =1+1']], ",", ";")
def test_no_file_has_a_formula_whatever_delimiter_it_is_opened_with(
    rows: list[list[str]], written: str, opened: str
) -> None:
    file = io.StringIO(newline="")
    write_csv(file, rows, written)
    for cells in csv.reader(io.StringIO(file.getvalue(), newline=""), delimiter=opened):
        for cell in cells:
            begun = "".join(mark for mark in cell if unicodedata.category(mark) not in {"Zs", "Zl", "Zp", "Cc", "Cf"})
            first = unicodedata.normalize("NFKC", begun.lstrip('"')[:1])
            assert first not in set("=+-@") or first == "" or NUMBER.fullmatch(cell.strip()), (cell, file.getvalue())


def test_a_workbook_that_leaves_has_texts_and_numbers_and_no_formula() -> None:
    file = io.BytesIO()
    write_xlsx(file, [["=1+1", " @x", "-5", 0.87, None, "0901", "bell\x07", float("inf")]])
    [cells] = openpyxl.load_workbook(file).worksheets[0].iter_rows()
    assert [cell.data_type for cell in cells] == ["s", "s", "s", "n", "n", "s", "s", "s"]
    assert [cell.value for cell in cells[:6]] == ["'=1+1", "' @x", "-5", 0.87, None, "0901"]


def test_every_spreadsheet_that_leaves_is_written_by_the_one_writer() -> None:
    """A walk over the whole source: nothing else makes a CSV writer or a workbook."""
    source = Path(pcs.__file__).parent
    makers = {"writer", "DictWriter", "Workbook"}
    found = set()
    for path in sorted(source.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = node.func if isinstance(node, ast.Call) else None
            name = (
                called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
            )
            if name in makers:
                found.add(str(path.relative_to(source)))
    assert found == {"spreadsheets/writing.py"}
