"""One reader for every file of goods. The trap: a file that is read in one place and refused in another; the command
line and the dashboard call this, and nothing else opens a spreadsheet that a customer made."""

from __future__ import annotations

from typing import BinaryIO

from pcs.spreadsheets.delimited import read_text
from pcs.spreadsheets.json_lines import read_json_lines
from pcs.spreadsheets.kinds import XLSX, kind_of
from pcs.spreadsheets.model import Limits, Score, Sheet


def read_sheet(file: BinaryIO, limits: Limits, score: Score, *, json_lines: bool = False) -> Sheet:
    """The table in a file that can be read from its beginning again and again, while it stays open.

    `score` says how many titles of a row the caller knows. Raises SpreadsheetError, as do the rows while they are read.
    """
    kind = kind_of(file, limits)
    if kind == XLSX:
        from pcs.spreadsheets.workbooks import read_workbook  # noqa: PLC0415 (openpyxl, 10 MB)

        return read_workbook(file, limits, score)
    return read_json_lines(file, limits) if json_lines else read_text(file, limits, score)
