"""Files of decisions: identifier, name, description, code, schedule, as CSV, XLSX or JSON Lines.

The trap: a row that is left out in silence; each is a decision, or says what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO

from pcs.products.columns import columns_of, known_titles, plain_title
from pcs.products.model import ProductFields
from pcs.products.tables import ProductTable, require_name
from pcs.spreadsheets.model import Limits, Row, Sheet, SpreadsheetError
from pcs.spreadsheets.reading import read_sheet
from pcs.tariff.code import Code, InvalidCodeError
from pcs.tariff.revision import ScheduleName

LIMITS = Limits(bytes=200 * 1024 * 1024, rows=1_000_000, unpacked=512 * 1024 * 1024)
_CODES = ("code", "tariff code", "hs code", "hts code", "cn code", "commodity code", "hts", "taric", "final code")
_SCHEDULES = ("schedule", "tariff")


@dataclass(frozen=True, slots=True)
class DecidedRow:
    """One row: goods and their code, or what is wrong with it."""

    row: Row
    goods: ProductFields | None
    schedule: ScheduleName | None = None
    code: Code | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class DecisionTable:
    """The goods of a sheet, where their codes stand, and the schedule of those rows that name none."""

    products: ProductTable
    code: int
    schedule: int | None
    otherwise: ScheduleName | None

    def rows(self) -> Iterator[DecidedRow]:
        """The rows that hold anything. Raises SpreadsheetError."""
        for one in self.products.rows():
            if one.product is None:
                yield DecidedRow(one.row, None, problem="; ".join(one.problems))
            else:
                yield self._decided(one.row, one.product)

    def _decided(self, row: Row, goods: ProductFields) -> DecidedRow:
        try:
            schedule = self._schedule_of(row)
            return DecidedRow(row, goods, schedule, code_of(_cell(row, self.code), schedule))
        except ValueError as error:
            return DecidedRow(row, None, problem=str(error))

    def _schedule_of(self, row: Row) -> ScheduleName:
        said = _cell(row, self.schedule).upper() if self.schedule is not None else ""
        if not said and self.otherwise is not None:
            return self.otherwise
        if said not in set(ScheduleName):
            msg = f"the schedule must be one of {', '.join(ScheduleName)}"
            raise ValueError(msg)
        return ScheduleName(said)


def read_decisions(
    file: BinaryIO, limits: Limits, *, otherwise: ScheduleName | None = None, json_lines: bool = False
) -> DecisionTable:
    """The decisions in a file that stays open; `otherwise` is the schedule of rows that name none.

    Raises SpreadsheetError where there is no name, no code or no schedule.
    """
    sheet = read_sheet(file, limits, known_titles, json_lines=json_lines)
    products = ProductTable(sheet, columns_of(sheet.titles))
    require_name(products)
    code, schedule = _place(sheet, _CODES), _place(sheet, _SCHEDULES)
    if code is None:
        msg = "has no column that is called `code`"
        raise SpreadsheetError(msg)
    if schedule is None and otherwise is None:
        msg = "has no column that is called `schedule`: add one, or say which schedule the codes are of"
        raise SpreadsheetError(msg)
    taken = {code, schedule}
    columns = {name: place for name, place in products.columns.items() if place not in taken}
    return DecisionTable(replace(products, columns=columns), code, schedule, otherwise)


def code_of(written: str, schedule: ScheduleName) -> Code:
    """A code as somebody wrote it, which has all the digits of its schedule. Raises ValueError that says what is wrong.

    >>> code_of("6109.10.00", ScheduleName.EU_CN)
    '61091000'
    """
    try:
        code = Code.parse(written)
    except InvalidCodeError:
        code = None
    if code is None or len(code) != schedule.digits:
        msg = f"the code must have {schedule.digits} digits under {schedule}, dots allowed"
        raise ValueError(msg)
    return code


def _place(sheet: Sheet, titles: Sequence[str]) -> int | None:
    plain = [plain_title(title) for title in sheet.titles]
    return next((plain.index(title) for title in titles if title in plain), None)


def _cell(row: Row, place: int) -> str:
    """A cell's text; empty where the row has none, or one that is no text."""
    value = row.cells[place] if place < len(row.cells) else ""
    return str(value).strip() if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
