"""XLSX workbooks: the first sheet that holds anything, its cells as texts, a row at a time.

The traps: an identifier that comes out as `4006381333931.0`; a sheet whose stated size is wrong, so that all but a cell
is passed over; a cell merged over several rows, which only the first of them holds."""

from __future__ import annotations

import datetime as dt
import re
import warnings
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, BinaryIO
from xml.etree.ElementTree import ParseError, iterparse
from zipfile import BadZipFile

from openpyxl import load_workbook
from openpyxl.utils.cell import range_boundaries
from openpyxl.utils.exceptions import InvalidFileException

from pcs.spreadsheets.headers import LOOKED_AT, header_of, width_of
from pcs.spreadsheets.model import Limits, Row, Score, Sheet, SpreadsheetError, Style, counted

_LAST_ROW = 1_048_576
_MOST_COLUMNS = 512
_MOST_MERGED = 100_000
_EXACT = 1e15  # what a workbook holds of a number has 15 digits
_ZEROS = re.compile(r"0+")
_DAMAGE = (
    *(InvalidFileException, BadZipFile, KeyError, OSError, ValueError, SyntaxError, zlib.error, ParseError),
    *(TypeError, AttributeError, IndexError, NotImplementedError, EOFError, OverflowError),
)

_Spans = Mapping[int, Sequence[tuple[int, int]]]
"""For the first row of merged cells: their column, counted from 0, and their last row."""


def read_workbook(file: BinaryIO, limits: Limits, score: Score) -> Sheet:
    """The first sheet of a workbook that holds anything. Raises SpreadsheetError; so do its rows."""
    with _in_words():
        book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
        sheets = sorted(book.worksheets, key=lambda sheet: sheet.sheet_state != "visible")
        sheet = next((sheet for sheet in sheets if next(_own_rows(sheet), None)), None)
        spans = _merged_down(sheet) if sheet else {}
    if sheet is None:
        msg = "has only empty cells"
        raise SpreadsheetError(msg)

    def rows() -> Iterator[Row]:
        found = counted(_filled(_own_rows(sheet), spans), limits)
        while True:
            with _in_words():
                row = next(found, None)
            if row is None:
                return
            yield row

    header = header_of([row for row, _ in zip(rows(), range(LOOKED_AT), strict=False)], score)
    header = replace(header, cells=header.cells[: width_of(header.cells)])
    width = len(header.cells)

    def below() -> Iterator[Row]:
        return (_padded(row, width) for row in rows() if row.number > header.number)

    return Sheet(header, below, Style("xlsx", marked=True))


def _padded(row: Row, width: int) -> Row:
    return replace(row, cells=(*row.cells, *[""] * (width - len(row.cells))))


@contextmanager
def _in_words() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # what openpyxl says of styles that nobody reads here
        try:
            yield
        except SpreadsheetError:
            raise
        except _DAMAGE as fault:
            msg = "cannot be read as an Excel workbook: open it in Excel and save it again as .xlsx, or as CSV"
            raise SpreadsheetError(msg) from fault


def _own_rows(sheet: Any) -> Iterator[Row]:  # noqa: ANN401 (openpyxl's stubs know no read-only sheet)
    """The rows that hold anything, without what is merged into them from above."""
    sheet.reset_dimensions()
    for number, cells in enumerate(sheet.rows, start=1):
        if number > _LAST_ROW:
            msg = f"names a row beyond {_LAST_ROW:,}, which no workbook has"
            raise SpreadsheetError(msg)
        if len(cells) > _MOST_COLUMNS:
            msg = f"row {number} has {len(cells):,} columns, and {_MOST_COLUMNS} are the most: delete the empty ones"
            raise SpreadsheetError(msg)
        texts = tuple(map(_text, cells))
        if any(text.strip() for text in texts):
            yield Row(number, texts)


def _filled(rows: Iterator[Row], spans: _Spans) -> Iterator[Row]:
    """The same rows; what is merged over several is in each of them."""
    above: dict[int, tuple[int, object]] = {}
    for row in rows:
        cells = list(row.cells)
        for column, (last, value) in above.items():
            if row.number <= last:
                cells += [""] * (column + 1 - len(cells))
                cells[column] = cells[column] or value
        above |= {column: (last, cells[column]) for column, last in spans.get(row.number, ()) if column < len(cells)}
        yield replace(row, cells=tuple(cells))


def _merged_down(sheet: Any) -> dict[int, list[tuple[int, int]]]:  # noqa: ANN401 (see above)
    spans: dict[int, list[tuple[int, int]]] = {}
    found = 0
    with sheet._get_source() as source:  # noqa: SLF001 (openpyxl reads a sheet by the row without its merged cells)
        for _, element in iterparse(source):  # noqa: S314 (expat bounds entities; the size was checked)
            if element.tag.endswith("}mergeCell") and found < _MOST_MERGED:
                column, first, _, last = range_boundaries(element.get("ref", "A1"))
                found += 1
                if column and first and last and last > first:
                    spans.setdefault(first, []).append((column - 1, last))
            if element.tag.endswith("}row"):
                element.clear()
    return spans


def _text(cell: Any) -> str:  # noqa: ANN401 (any of openpyxl's cells)
    value = cell.value
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return _number(value, cell.number_format)
    if isinstance(value, dt.datetime) and value.time() == dt.time():
        value = value.date()
    return value.isoformat(" ") if isinstance(value, dt.datetime) else str(value)


def _number(value: float, shown: str) -> str:
    """A number as it is shown: whole where it is whole, with the zeros in front that its format asks for."""
    text = str(int(value)) if value == int(value) and abs(value) < _EXACT else f"{value:.15g}"
    return text.zfill(len(shown)) if _ZEROS.fullmatch(shown) else text
