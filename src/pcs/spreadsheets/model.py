"""A spreadsheet as rows of cells, whatever it was written with. The trap: a number for a row that its owner cannot find
again; rows are numbered as a spreadsheet program shows them, and the line of the file is named where it is another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

MISSING = object()
"""The cell of a JSON Lines row that does not have this key."""

Score = Callable[[Sequence[str]], int]
"""How many cells of a row are titles that the reader's caller knows."""


class SpreadsheetError(ValueError):
    """A file that cannot be read as a table; the message goes on after the file's name and says what to do."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a file may be: in bytes, in rows, and in bytes once unpacked (an XLSX file is a ZIP archive)."""

    bytes: int
    rows: int
    unpacked: int


@dataclass(frozen=True, slots=True)
class Row:
    """One row. `number` is the one that a spreadsheet program shows, `line` where it begins in a text file.

    Cells are texts; only those of JSON Lines may be any JSON value, or MISSING.
    """

    number: int
    cells: tuple[object, ...]
    line: int | None = None

    @property
    def place(self) -> str:
        """Where it stands.

        >>> Row(2, ("a",), 2).place, Row(3, ("b",), 5).place
        ('row 2', 'row 3 (line 5)')
        """
        return f"row {self.number}" if self.line in {None, self.number} else f"row {self.number} (line {self.line})"


@dataclass(frozen=True, slots=True)
class Style:
    """How a file was written. `delimiter` is None for one that has none; `marked` says that it is not plain UTF-8."""

    kind: str
    delimiter: str | None = None
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Sheet:
    """The header and, as often as they are asked for, the rows below it that hold anything, one after the other."""

    header: Row
    rows: Callable[[], Iterator[Row]]
    style: Style

    @property
    def titles(self) -> tuple[str, ...]:
        """The cells of the header."""
        return tuple(map(str, self.header.cells))


def letter(place: int) -> str:
    """The name of a column, counted from 0, as spreadsheet programs show it.

    >>> letter(0), letter(25), letter(26), letter(701)
    ('A', 'Z', 'AA', 'ZZ')
    """
    return (letter(place // 26 - 1) if place >= 26 else "") + chr(ord("A") + place % 26)


def counted(rows: Iterator[Row], limits: Limits) -> Iterator[Row]:
    """The same rows, header included, and a SpreadsheetError in the place of one too many."""
    for count, row in enumerate(rows):
        if count > limits.rows:
            msg = f"has more than {limits.rows:,} rows: cut it into several files"
            raise SpreadsheetError(msg)
        yield row
