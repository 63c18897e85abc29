"""Every spreadsheet that leaves: CSV or XLSX, a row at a time, with no cell that a spreadsheet program would run.

The trap: a file with commas that is opened where semicolons are expected, which makes cells out of the middle of ours;
so every place where another program may see a cell begin is looked at. Source: OWASP, CSV Injection."""

from __future__ import annotations

import csv
import json
import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import BinaryIO, TextIO

from pcs.spreadsheets.model import MISSING

_FORMULA = frozenset("=+-@")
_PASSED_OVER = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})  # white space, controls and what has no width
_BREAKS = "\t\r\n"
_SEPARATORS = ",;|"
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_SIGNED_NUMBER = re.compile(r"[+-][0-9][0-9., \u00a0\u202f]*(?:[eE][+-]?[0-9]+)? ?%?")

Cells = Sequence[object]


def defused(value: object, delimiter: str = ",") -> str:
    """A cell, of a file with this delimiter, that no program runs as a formula; a number with a sign stays as it is.

    >>> defused("=1+1"), defused(" =1+1"), defused("a;=1+1"), defused("-5"), defused(None)
    ("'=1+1", "' =1+1", "a;'=1+1", '-5', '')
    """
    text = _as_text(value)
    begun = "'" if text[:1] in _BREAKS and text else ""
    others = "".join(mark for mark in _SEPARATORS if mark != delimiter)
    return begun + "".join(
        piece if place % 2 or not _runs(piece) else f"'{piece}"
        for place, piece in enumerate(re.split(f"([{others}{_BREAKS}])", text))
    )


def _runs(piece: str) -> bool:
    """Whether what may become a cell of its own begins like a formula, also in full width (as in Japan)."""
    place = next((place for place, mark in enumerate(piece) if not _is_passed_over(mark)), None)
    if place is None or unicodedata.normalize("NFKC", piece[place]) not in _FORMULA:
        return False
    return _SIGNED_NUMBER.fullmatch(piece.strip()) is None


def _is_passed_over(mark: str) -> bool:
    return mark == '"' or unicodedata.category(mark) in _PASSED_OVER


def _as_text(value: object) -> str:
    if value is None or value is MISSING:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def write_csv(file: TextIO, rows: Iterable[Cells], delimiter: str = ",") -> None:
    """Write rows as they come; `file` is opened with `newline=""`."""
    writer = csv.writer(file, delimiter=delimiter)
    for cells in rows:
        writer.writerow([defused(cell, delimiter) for cell in cells])


class WorkbookWriter:
    """A workbook with one sheet, written a row at a time: numbers as numbers, everything else as text."""

    def __init__(self) -> None:
        from openpyxl import Workbook  # noqa: PLC0415 (10 MB that a worker need not have)

        self._book = Workbook(write_only=True)
        self._sheet = self._book.create_sheet("Results")

    def add(self, rows: Iterable[Cells]) -> None:
        """Write rows below those there are; they wait on the disk, not in memory."""
        for cells in rows:
            self._sheet.append([_workbook_cell(cell) for cell in cells])

    def save(self, file: BinaryIO) -> None:
        """Write the workbook."""
        self._book.save(file)


def write_xlsx(file: BinaryIO, rows: Iterable[Cells]) -> None:
    """Write rows as such a workbook."""
    writer = WorkbookWriter()
    writer.add(rows)
    writer.save(file)


def _workbook_cell(value: object) -> object:
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)):
        return value
    return _NOT_XML.sub("\ufffd", defused(value))
