"""A sheet as texts that can be stored and read again, whatever kind of file it was. The trap: storing the file itself;
a workbook takes a hundred times longer to read than its rows do."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict

from pcs.spreadsheets.model import Row, Sheet, Style


def kept_head(sheet: Sheet) -> str:
    """The style, and on a line of its own the header."""
    return f"{json.dumps(asdict(sheet.style))}\n{_written(sheet.header)}"


def kept_rows(rows: Iterable[Row]) -> str:
    """A row a line: its number, its line, its cells."""
    return "\n".join(map(_written, rows))


def kept_sheet(head: str, rows: str = "") -> Sheet:
    """The sheet that has this head and these rows."""
    style, header, *_ = head.split("\n")

    def read() -> Iterator[Row]:
        return map(_read, rows.split("\n")) if rows else iter(())

    return Sheet(_read(header), read, Style(**json.loads(style)))


def _written(row: Row) -> str:
    return json.dumps([row.number, row.line, *row.cells], ensure_ascii=False, default=lambda _: None)  # MISSING is null


def _read(line: str) -> Row:
    number, begins, *cells = json.loads(line)
    return Row(number, tuple(cells), begins)
