"""Tables that people upload: read and checked row by row. The trap: a file that promises a hundred thousand rows;
reading stops at the limit."""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pcs.base.errors import InvalidRequestError, Violation
from pcs.products.intake import read_product
from pcs.products.model import ProductFields
from pcs.tariff.revision import ScheduleName

MAX_ROWS = 5_000
MAX_BYTES = 5 * 1024 * 1024
_ENCODINGS = ("utf-8-sig", "cp1252")
_COLUMNS = {
    "name": ("name", "product", "product name", "title", "item"),
    "description": ("description", "details", "product description", "text"),
    "identifier": ("identifier", "sku", "id", "part number", "article", "reference", "item number"),
    "country_of_origin": ("country of origin", "country", "origin", "coo", "country_of_origin"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table: a product, or what is wrong with it. `number` is the line in the file, the header being 1."""

    number: int
    typed: Mapping[str, str]
    product: ProductFields | None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A table as read. `columns` says which column of the file gives which field; `ignored` are the others."""

    columns: Mapping[str, str]
    ignored: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def products(self) -> tuple[ProductFields, ...]:
        """The rows without problems."""
        return tuple(row.product for row in self.rows if row.product is not None)

    @property
    def bad(self) -> tuple[Row, ...]:
        """The rows with problems."""
        return tuple(row for row in self.rows if row.problems)


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that somebody uploaded, and the batches that it became."""

    id: str
    file_name: str
    content: str
    schedules: tuple[ScheduleName, ...]
    batch_ids: tuple[str, ...]
    created_at: dt.datetime
    submitted_at: dt.datetime | None = None


class _Lines(Protocol):
    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...


def decoded(content: bytes) -> str:
    """The text of a file: UTF-8, or else what a Western Windows writes. Raises InvalidRequestError."""
    if len(content) > MAX_BYTES:
        raise InvalidRequestError(Violation("file", f"must have at most {MAX_BYTES // 1024 // 1024} MiB"))
    if b"\x00" in content:
        raise InvalidRequestError(Violation("file", "must be a CSV file in UTF-8, not a spreadsheet's own format"))
    for encoding in _ENCODINGS:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise InvalidRequestError(Violation("file", "must be a CSV file in UTF-8"))


def read_table(text: str) -> Table:
    """The rows of a CSV file with a header; comma, semicolon or tab. Raises InvalidRequestError."""
    reader = csv.reader(io.StringIO(text), delimiter=_delimiter(text))
    try:
        header = next(reader, [])
        columns = _columns(header)
        rows = _rows(reader, columns)
    except csv.Error as error:
        raise InvalidRequestError(Violation("file", f"is not a readable CSV file ({error})")) from None
    if not rows:
        raise InvalidRequestError(Violation("file", "has a header but no rows"))
    used = {header[place]: name for name, place in columns.items()}
    ignored = tuple(title for title in header if title.strip() and title not in used)
    return Table({name: title for title, name in used.items()}, ignored, tuple(rows))


def _delimiter(text: str) -> str:
    first = text.partition("\n")[0]
    return max(",;\t", key=first.count)


def _columns(header: Sequence[str]) -> dict[str, int]:
    titles = [" ".join(title.strip().lower().replace("_", " ").split()) for title in header]
    found = {
        name: next(titles.index(known) for known in known_titles if known in titles)
        for name, known_titles in _COLUMNS.items()
        if any(known in titles for known in known_titles)
    }
    if "name" not in found:
        raise InvalidRequestError(Violation("file", "needs a header with a column called `name`"))
    return found


def _rows(reader: _Lines, columns: Mapping[str, int]) -> list[Row]:
    rows: list[Row] = []
    for cells in reader:
        if not any(cell.strip() for cell in cells):
            continue
        if len(rows) == MAX_ROWS:
            raise InvalidRequestError(Violation("file", f"must have at most {MAX_ROWS:,} rows"))
        typed = {name: cells[place] if place < len(cells) else "" for name, place in columns.items()}
        rows.append(_row(reader.line_num, typed))
    return rows


def _row(number: int, typed: Mapping[str, str]) -> Row:
    try:
        return Row(number, typed, read_product(typed))
    except InvalidRequestError as error:
        problems = tuple(f"{one.field.replace('_', ' ')} {one.message}" for one in error.violations)
        return Row(number, typed, None, problems)
