"""Product files in and answers out, as JSON Lines or CSV. The trap: a cell that a spreadsheet would run as a formula;
those are defused on the way out."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TextIO

_FORMULA = ("=", "+", "-", "@", "\t", "\r")

Record = dict[str, Any]


class ProductFileError(ValueError):
    """A file that cannot be read as products; the message says what is expected."""


def read_products(path: Path) -> list[Record]:
    """The rows of a .jsonl or .csv file. Raises ProductFileError naming the line at fault."""
    if path.suffix not in {".jsonl", ".csv"}:
        msg = f"{path.name}: give a .jsonl file (one JSON object a line) or a .csv file with a `name` column"
        raise ProductFileError(msg)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path.name}: cannot be read as UTF-8 text ({error})"
        raise ProductFileError(msg) from error
    return list(_csv_rows(text, path.name) if path.suffix == ".csv" else _json_rows(text, path.name))


def write_answers(path: Path, answers: Iterable[Record]) -> None:
    """Write one row an answer, in the format of the file's ending; lists become JSON text in a CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        if path.suffix == ".csv":
            _write_csv(file, list(answers))
        else:
            file.writelines(json.dumps(answer, ensure_ascii=False) + "\n" for answer in answers)


def defused(value: object) -> str:
    """A cell that no spreadsheet runs as a formula.

    >>> defused("=1+1"), defused(None)
    ("'=1+1", '')
    """
    text = "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _csv_rows(text: str, name: str) -> Iterator[Record]:
    reader = csv.DictReader(text.splitlines())
    try:
        if "name" not in (reader.fieldnames or ()):
            msg = f"{name}: the first line must name the columns and one of them must be `name`"
            raise ProductFileError(msg)
        yield from reader
    except csv.Error as error:
        msg = f"{name}, line {reader.line_num}: not a readable CSV file ({error})"
        raise ProductFileError(msg) from error


def _json_rows(text: str, name: str) -> Iterator[Record]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            msg = f"{name}, line {number}: not JSON ({error})"
            raise ProductFileError(msg) from error
        if not isinstance(row, dict):
            msg = f'{name}, line {number}: each line must be an object such as {{"name": "cotton T-shirt"}}'
            raise ProductFileError(msg)
        yield row


def _write_csv(file: TextIO, answers: list[Record]) -> None:
    columns = list(dict.fromkeys(key for answer in answers for key in answer))
    writer = csv.writer(file)
    writer.writerow(columns)
    writer.writerows([[defused(answer.get(column)) for column in columns] for answer in answers])
