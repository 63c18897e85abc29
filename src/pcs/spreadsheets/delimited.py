"""Text files: comma, semicolon, tab or bar between the cells, or whatever a line `sep=;` says.

The trap: a decimal comma, which a count of characters takes for the delimiter of a file with semicolons; each candidate
is tried on the first rows, and the one whose header is known and whose rows are equally wide is right."""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO

from pcs.spreadsheets.encodings import encoding_of, is_plain
from pcs.spreadsheets.headers import LOOKED_AT, header_of, width_of
from pcs.spreadsheets.model import Limits, Row, Score, Sheet, SpreadsheetError, Style, counted

ONE_COLUMN = "\x1f"  # a delimiter that no file has
_CANDIDATES = (",", ";", "\t", "|", ONE_COLUMN)
_SEPARATOR = re.compile(r'"?sep=(.)"?[\r\n]*', re.IGNORECASE)
_SAMPLE = 1 << 16
_LONGEST_LINE = 1 << 20
_LONGEST_CELL = 131_072
_UNCLOSED = "perhaps a quotation mark is opened there and never closed"


def read_text(file: BinaryIO, limits: Limits, score: Score) -> Sheet:
    """The table in a text file. Raises SpreadsheetError; so do its rows, as they are read."""
    codec = encoding_of(file)
    sample = _sample(file, codec)
    said = _SEPARATOR.fullmatch(sample.partition("\n")[0])
    delimiter = said[1] if said else _delimiter(sample, score)
    skipped = 1 if said else 0

    def rows() -> Iterator[Row]:
        file.seek(0)
        text = io.TextIOWrapper(file, encoding=codec, newline="")
        try:
            yield from counted(_records(text, delimiter, skipped), limits)
        finally:
            text.detach()

    first = [row for row, _ in zip(rows(), range(LOOKED_AT), strict=False)]
    if not first:
        msg = "has only empty cells"
        raise SpreadsheetError(msg)
    header = header_of(first, score)
    header = replace(header, cells=header.cells[: width_of(header.cells)])
    style = Style("csv", None if delimiter == ONE_COLUMN else delimiter, marked=not is_plain(file, codec))
    return Sheet(header, lambda: (row for row in rows() if row.number > header.number), style)


def _sample(file: BinaryIO, codec: str) -> str:
    """The beginning of a file, up to the end of a line."""
    file.seek(0)
    text = io.TextIOWrapper(file, encoding=codec, newline="")
    try:
        sample = text.read(_SAMPLE)
    finally:
        text.detach()
    return sample if len(sample) < _SAMPLE else sample[: sample.rfind("\n") + 1] or sample


def _delimiter(sample: str, score: Score) -> str:
    def fits(candidate: str) -> tuple[int, float, int]:
        rows = _first(sample, candidate)
        if not rows:
            return 0, 0.0, 0
        header = header_of(rows, score)
        width = len(header.cells)
        agreeing = sum(len(row.cells) == width for row in rows) / len(rows)
        return score([str(cell) for cell in header.cells]), agreeing, width

    return max(_CANDIDATES, key=fits)


def _first(sample: str, delimiter: str) -> list[Row]:
    """The first rows of a sample, up to one that cannot be read."""
    rows: list[Row] = []
    with contextlib.suppress(SpreadsheetError):
        for row in _records(io.StringIO(sample, newline=""), delimiter, 0):
            rows.append(row)
            if len(rows) == LOOKED_AT:
                break
    return rows


def _records(text: io.TextIOBase, delimiter: str, skipped: int) -> Iterator[Row]:
    """Every row that holds anything, numbered with those that do not."""
    lines = _Lines(text)
    for _ in range(skipped):
        next(lines, None)
    reader = csv.reader(lines, delimiter=delimiter)
    number = 0
    while True:
        begins = lines.begin()
        number += 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            msg = f"row {number} (line {begins}): a cell is too long; {_UNCLOSED} ({error})"
            raise SpreadsheetError(msg) from error
        if cells is None:
            return
        _check_ended(lines.record, delimiter, number, begins)
        if any(map(_LONGEST_CELL.__lt__, map(len, cells))):
            msg = f"row {number} (line {begins}): a cell has more than {_LONGEST_CELL:,} characters; {_UNCLOSED}"
            raise SpreadsheetError(msg)
        if any(cell.strip() for cell in cells):
            yield Row(number, tuple(cells), begins)


def _check_ended(record: Sequence[str], delimiter: str, number: int, begins: int) -> None:
    """Raise SpreadsheetError where the file ended within a cell, which Python's reader passes over."""
    if len(record) < 2 and not (record and '"' in record[0] and not record[0].endswith(("\n", "\r"))):
        return
    try:
        list(csv.reader(record, delimiter=delimiter, strict=True))
    except csv.Error as error:
        if "unexpected end of data" in str(error):
            msg = f"row {number} (line {begins}): a quotation mark is opened there and never closed"
            raise SpreadsheetError(msg) from error


class _Lines:
    """The lines of a file; `record` are those of the row that is being read."""

    def __init__(self, text: io.TextIOBase) -> None:
        self._text = text
        self._read = 0
        self.record: list[str] = []

    def begin(self) -> int:
        """Begin a row, on the line answered."""
        self.record.clear()
        return self._read + 1

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._text.readline(_LONGEST_LINE)
        if not line:
            raise StopIteration
        self._read += 1
        if len(line) == _LONGEST_LINE:
            msg = (
                f"line {self._read} has more than {_LONGEST_LINE:,} characters: this is not a table with one row a line"
            )
            raise SpreadsheetError(msg)
        self.record.append(line)
        return line
