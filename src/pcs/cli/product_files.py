"""Product files in and answers out, a row at a time. The trap: a run of an hour whose file cannot be written; where the
answers go is looked at before the first is made."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import track

from pcs.base.text import listed
from pcs.products.columns import filed_column
from pcs.products.intake import DECLARED
from pcs.products.tables import ProductRow, ProductTable, Survey, read_table, require_name
from pcs.spreadsheets.model import MISSING, Limits, SpreadsheetError, letter
from pcs.spreadsheets.writing import write_csv, write_xlsx
from pcs.tariff.revision import ScheduleName

LIMITS = Limits(bytes=100 * 1024 * 1024, rows=1_000_000, unpacked=256 * 1024 * 1024)
_JSON_LINES = {".jsonl", ".ndjson"}
_WRITTEN = {".csv", ".xlsx", *_JSON_LINES}


class ProductFileError(ValueError):
    """A file that cannot be read or written; the message is a sentence for the terminal."""


@contextmanager
def products_in(path: Path, filed: ScheduleName | None = None) -> Iterator[ProductTable]:
    """The products of a CSV, XLSX or JSON Lines file, while it is open, with the codes that are `filed` under a
    schedule; those of others are not read. Raises ProductFileError, also where there is no column of them."""
    try:
        with path.open("rb") as file:
            table = read_table(file, LIMITS, json_lines=is_json_lines(path))
            require_name(table)
            yield replace(table, columns=_columns(table, filed))
    except SpreadsheetError as error:
        msg = f"{path.name}: {error}."
        raise ProductFileError(msg) from error
    except OSError as error:
        raise ProductFileError(_in_words(path, error)) from error


def _columns(table: ProductTable, filed: ScheduleName | None) -> dict[str, int]:
    told = {name: place for name, place in table.columns.items() if name not in DECLARED}
    if filed is None:
        return told
    field = f"declared_codes.{filed}"
    place = table.columns.get(field, filed_column(table.sheet.titles))
    if place is None:
        titles = listed([title for title in table.sheet.titles if title.strip()], 12)
        msg = f"has no column of filed codes: call it `declared code` or `{field}`; its columns are {titles}"
        raise SpreadsheetError(msg)
    return {**told, field: place}


def write_beside(
    table: ProductTable,
    found: Survey,
    output: Path,
    *,
    ours: Callable[[Sequence[str]], Sequence[str]],
    answered: Callable[[ProductRow], Sequence[object]],
    notes: Console,
) -> None:
    """Write the customer's columns and behind them ours, a row at a time; `ours` names them, knowing theirs."""
    titles = [*table.sheet.titles, *[""] * (found.width - len(table.sheet.titles))]
    tracked = track(table.rows(), description="Classifying", console=notes, total=found.rows)
    rows = ((*one.row.cells, *[""] * (found.width - len(one.row.cells)), *answered(one)) for one in tracked)
    style = table.sheet.style
    write_answers(output, [*titles, *ours(titles)], rows, delimiter=style.delimiter or ",", marked=style.marked)


def check_output(path: Path, source: Path) -> None:
    """Raise ProductFileError unless answers can be written there."""
    if path.suffix.lower() not in _WRITTEN:
        msg = f"{path.name}: the answers are written as .csv, .xlsx or .jsonl"
        raise ProductFileError(msg)
    if not path.absolute().parent.is_dir():
        msg = f"no such folder: {path.absolute().parent}"
        raise ProductFileError(msg)
    if path.exists() and source.exists() and path.samefile(source):
        msg = f"{path.name}: the answers would overwrite the products: name another file"
        raise ProductFileError(msg)


def write_answers(
    path: Path, titles: Sequence[str], rows: Iterable[Sequence[object]], *, delimiter: str, marked: bool
) -> None:
    """Write rows as they come, in the format of the file's ending; a row has a cell for each title, or fewer.

    `marked` puts Excel's mark of UTF-8 before a CSV file.
    """
    kind = path.suffix.lower()
    if kind == ".xlsx":
        with path.open("wb") as workbook:
            write_xlsx(workbook, _with_header(titles, rows))
        return
    with path.open("w", encoding="utf-8-sig" if marked and kind == ".csv" else "utf-8", newline="") as file:
        if kind == ".csv":
            write_csv(file, _with_header(titles, rows), delimiter)
            return
        keys = _keys(titles)
        for row in rows:
            record = {key: cell for key, cell in zip(keys, row, strict=False) if cell is not MISSING}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def is_json_lines(path: Path) -> bool:
    """Whether a file holds JSON Lines, by its ending."""
    return path.suffix.lower() in _JSON_LINES


def _keys(titles: Sequence[str]) -> list[str]:
    """A key a column: none is empty, no two are equal.

    >>> _keys(["name", "", "name"])
    ['name', 'column B', 'name (column C)']
    """
    keys: list[str] = []
    for place, title in enumerate(titles):
        column = f"column {letter(place)}"
        keys.append(f"{title} ({column})" if title in keys else title or column)
    return keys


def _with_header(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[Sequence[object]]:
    yield titles
    yield from rows


def _in_words(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f"no such file: {path}"
    if isinstance(error, IsADirectoryError):
        return f"{path} is a folder: name a file in it"
    return f"{path} cannot be read: {error.strerror}"
