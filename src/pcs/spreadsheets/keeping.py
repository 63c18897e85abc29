"""A sheet as a text that can be stored and read again, whatever kind of file it was. The trap: storing the file itself;
a workbook takes a hundred times longer to read than its rows do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

from pcs.spreadsheets.model import Row, Sheet, Style

KEPT = '{"kind": '
"""What every kept text begins with."""


def kept_text(sheet: Sheet) -> str:
    """The style, then a row a line: its number, its line, its cells."""
    rows = (json.dumps(_written(row), ensure_ascii=False) for row in (sheet.header, *sheet.rows()))
    return "\n".join((json.dumps(asdict(sheet.style)), *rows))


def kept_sheet(text: str) -> Sheet:
    """The sheet that `kept_text` wrote."""
    style, header, *rows = text.split("\n")

    def read() -> Iterator[Row]:
        return map(_read, rows)

    return Sheet(_read(header), read, Style(**json.loads(style)))


def _written(row: Row) -> list[object]:
    return [row.number, row.line, *row.cells]


def _read(line: str) -> Row:
    number, begins, *cells = json.loads(line)
    return Row(number, tuple(cells), begins)
