"""JSON Lines: an object a line, whose keys are the columns. The trap: a key that only the last line has; the columns
are those of all lines, so the file is read once before its rows are given."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from pcs.spreadsheets.encodings import encoding_of, is_plain
from pcs.spreadsheets.model import MISSING, Limits, Row, Sheet, SpreadsheetError, Style

_LONGEST_LINE = 1 << 20
_MOST_KEYS = 1_000


def read_json_lines(file: BinaryIO, limits: Limits) -> Sheet:
    """The table in a JSON Lines file. Raises SpreadsheetError naming the line at fault."""
    codec = encoding_of(file)
    keys: dict[str, None] = {}
    for count, (_, record) in enumerate(_records(file, codec), start=1):
        if count > limits.rows:
            msg = f"has more than {limits.rows:,} rows: cut it into several files"
            raise SpreadsheetError(msg)
        keys |= dict.fromkeys(record)
        if len(keys) > _MOST_KEYS:
            msg = f"has more than {_MOST_KEYS:,} different keys: its lines are not rows of one table"
            raise SpreadsheetError(msg)
    titles = tuple(keys)

    def rows() -> Iterator[Row]:
        for number, record in _records(file, codec):
            yield Row(number, tuple(record.get(title, MISSING) for title in titles))

    return Sheet(Row(0, titles), rows, Style("jsonl", marked=not is_plain(file, codec)))


def _records(file: BinaryIO, codec: str) -> Iterator[tuple[int, dict[str, Any]]]:
    file.seek(0)
    text = io.TextIOWrapper(file, encoding=codec)
    try:
        number = 0
        while line := text.readline(_LONGEST_LINE):
            number += 1
            if line.strip():
                yield number, _record(line, number)
    finally:
        text.detach()


def _record(line: str, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        msg = f"line {number}: not JSON"
        raise SpreadsheetError(msg) from error
    if not isinstance(record, dict):
        msg = f'line {number}: each line must be an object such as {{"name": "cotton T-shirt"}}'
        raise SpreadsheetError(msg)
    return record
