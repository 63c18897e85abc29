"""Products out of a customer's table, checked row by row. The trap: a bad row that ends the reading; each row gives a
product, or says in which column what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from pcs.base.errors import InvalidRequestError, Violation
from pcs.base.plurals import counted
from pcs.base.text import listed, shortened
from pcs.products.attributes import as_lines
from pcs.products.columns import attribute_columns, columns_of, known_titles
from pcs.products.intake import FIELDS, read_product
from pcs.products.model import ProductFields
from pcs.products.repeats import Repeat, Repeats
from pcs.spreadsheets.model import MISSING, Limits, Row, Sheet, SpreadsheetError, letter
from pcs.spreadsheets.reading import read_sheet

_SHOWN = 50


@dataclass(frozen=True, slots=True)
class ProductRow:
    """One row of a table: a product, or what is wrong with it."""

    row: Row
    product: ProductFields | None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Survey:
    """What reading a whole table once tells: how many rows there are, the first good and bad ones, what is repeated.

    `width` is that of the widest row, `first` and `bad` are at most fifty.
    """

    rows: int
    good: int
    width: int
    first: tuple[ProductRow, ...]
    bad: tuple[ProductRow, ...]
    repeats: tuple[Repeat, ...]


@dataclass(frozen=True, slots=True)
class ProductTable:
    """A sheet, and which of its columns gives which field."""

    sheet: Sheet
    columns: Mapping[str, int]

    @property
    def unused(self) -> tuple[str, ...]:
        """The titles of the columns that give no field."""
        used = set(self.columns.values())
        return tuple(title for place, title in enumerate(self.sheet.titles) if title.strip() and place not in used)

    def rows(self) -> Iterator[ProductRow]:
        """The rows below the header that hold anything. Raises SpreadsheetError."""
        return map(self._product_row, self.sheet.rows())

    def survey(self) -> Survey:
        """Read all rows once. Raises SpreadsheetError, also where there are none."""
        surveying = Surveying(len(self.sheet.titles))
        for one in self.rows():
            surveying.add(one)
        return surveying.found()

    def _product_row(self, row: Row) -> ProductRow:
        problems = list(self._width_problem(row))
        typed = {}
        for name, place in self.columns.items():
            value = row.cells[place] if place < len(row.cells) else None
            text = _json(value) if name == "attributes" and isinstance(value, dict) else _text(value)
            if text is None:
                problems.append(f"{_words(name)} must be text{self._where(name)}")
            typed[name] = text or ""
        if problems:
            return ProductRow(row, None, tuple(problems))
        try:
            return ProductRow(row, read_product(typed))
        except InvalidRequestError as error:
            found = tuple(f"{_words(one.field)} {one.message}{self._where(one.field)}" for one in error.violations)
            return ProductRow(row, None, found)

    def _width_problem(self, row: Row) -> Iterator[str]:
        """In a text file a row with more cells than titles has a delimiter within a cell."""
        style, wide = self.sheet.style, len(self.sheet.titles)
        if style.kind == "csv" and any(str(cell).strip() for cell in row.cells[wide:]):
            mark = {",": "comma", ";": "semicolon", "\t": "tab"}.get(style.delimiter or "", "delimiter")
            yield (
                f"there are {len(row.cells)} cells and {counted(wide, 'column')}: "
                f"put quotation marks around a text with a {mark} in it"
            )

    def _where(self, name: str) -> str:
        place = self.columns.get(name)
        if place is None:
            return ""
        title = self.sheet.titles[place] if place < len(self.sheet.titles) else ""
        return (
            f" ({title})" if self.sheet.style.kind == "jsonl" else f" (column {letter(place)}, {title or 'untitled'})"
        )


class Surveying:
    """Reads rows as they come, and remembers of them what a survey says."""

    def __init__(self, width: int) -> None:
        self._rows = self._good = 0
        self._width = width
        self._first: list[ProductRow] = []
        self._bad: list[ProductRow] = []
        self._identifiers, self._texts = Repeats("identifier"), Repeats("text")

    def add(self, one: ProductRow) -> None:
        """Look at one more row."""
        self._rows += 1
        self._width = max(self._width, len(one.row.cells))
        kept = self._bad if one.product is None else self._first
        if len(kept) < _SHOWN:
            kept.append(one)
        if one.product is not None:
            self._good += 1
            self._identifiers.add(one.row.number, one.product.identifier or "")
            words = one.product.name, one.product.description or "", as_lines(one.product.attributes)
            self._texts.add(one.row.number, " ".join(words))

    def found(self) -> Survey:
        """What they say. Raises SpreadsheetError where there were none."""
        if not self._rows:
            msg = "has a header and no rows below it"
            raise SpreadsheetError(msg)
        repeats = sorted((*self._identifiers.found(), *self._texts.found()), key=lambda one: one.row)
        return Survey(self._rows, self._good, self._width, tuple(self._first), tuple(self._bad), tuple(repeats))


def read_table(file: BinaryIO, limits: Limits, *, json_lines: bool = False) -> ProductTable:
    """The table in a file, with the columns that are recognised. Raises SpreadsheetError."""
    sheet = read_sheet(file, limits, known_titles, json_lines=json_lines)
    return ProductTable(sheet, columns_of(sheet.titles))


def require_name(table: ProductTable) -> None:
    """Raise SpreadsheetError, in words that help, where no column gives the name."""
    if "name" in table.columns:
        return
    titles = [title for title in table.sheet.titles if title.strip()]
    if len(titles) == 1 and table.sheet.style.kind == "csv":
        msg = (
            f"cannot be told into columns: its first row is the one cell “{shortened(titles[0], 80)}”. Put a comma, a "
            "semicolon or a tab between the cells, and call the column with the names `name`"
        )
        raise SpreadsheetError(msg)
    msg = f"has no column that is called `name`, or so in your language; its columns are {listed(titles, 12)}"
    raise SpreadsheetError(msg)


def chosen_columns(chosen: Mapping[str, str], titles: Sequence[str]) -> dict[str, int]:
    """The columns that somebody chose by their places, as a form says them; what names no column is left out. Those of
    attributes say it in their titles.

    >>> chosen_columns({"name": "1", "identifier": "", "description": "7"}, ["sku", "title"])
    {'name': 1}
    """
    texts = {name: text for name in FIELDS if (text := chosen.get(name, ""))}
    places = {name: place for name, text in texts.items() for place in range(len(titles)) if text == str(place)}
    return places | attribute_columns(titles)


def columns_by_title(named: Mapping[str, str], titles: Sequence[str]) -> dict[str, int]:
    """The columns that are recognised, but where somebody names a title for a field, or none with an empty text.

    Raises InvalidRequestError for a field or a title that there is not.

    >>> columns_by_title({"name": "Ware", "identifier": ""}, ["SKU", "Ware", "Title"])
    {'name': 1}
    """
    found, wrong = columns_of(titles), []
    for field, title in named.items():
        place = next((place for place, one in enumerate(titles) if one.strip() == title.strip()), None)
        found.pop(field, None)
        if field not in FIELDS:
            wrong.append(Violation("columns", f"names the field {shortened(field, 80)}: use {', '.join(FIELDS)}"))
        elif title.strip() and place is None:
            said = f"{shortened(title, 80)}: the file has {listed([one for one in titles if one.strip()], 12)}"
            wrong.append(Violation("columns", f"names the column {said}"))
        elif place is not None and title.strip():
            found[field] = place
    if wrong:
        raise InvalidRequestError(*wrong)
    return found


def _words(name: str) -> str:
    return name.replace("_", " ").replace(".", " ")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _text(value: object) -> str | None:
    """A cell as text; None for what is none: a list, an object, true or false."""
    if value is None or value is MISSING:
        return ""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
