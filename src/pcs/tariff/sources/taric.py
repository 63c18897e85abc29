"""The Combined Nomenclature out of TARIC's goods nomenclature (XLSX, European Commission, DG TAXUD). The traps: only
product-line suffix 80 is a real line, the others are groups; dashes are the indent; 10-digit rows are TARIC's own; a
CN code is a row with nothing of 8 digits below it, and may be printed with 4 or 6 digits only."""

from __future__ import annotations

import datetime as dt
import re
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from pcs.tariff.code import Code
from pcs.tariff.packing import assemble
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import PublishedRow, Schedule, parents_of
from pcs.tariff.sources.levels import with_all_levels
from pcs.tariff.sources.markup import from_taric
from pcs.tariff.sources.problem import SourceError

_REAL_LINE = "80"
_CN_DIGITS = 8
_GOODS_CODE = re.compile(r"(\d{10}) ?(\d\d)")
_COLUMNS = ("Goods code", "Start date", "End date", "Language", "Hier. Pos.", "Indent", "Description")
_REFERENCE_DATE = re.compile(r"to_date\(\s*'(\d{2})-?(\d{2})-?(\d{4})'", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TaricRow:
    """One row as published: ten digits, suffix, number of digits that count, dashes, words."""

    digits: str
    suffix: str
    position: int
    dashes: int
    text: str

    @property
    def depth(self) -> int:
        """The chapter, the sub-chapter's title, the heading, then a step a dash."""
        if self.position == 2:
            return 0
        if self.position == 4 and self.suffix != _REAL_LINE:
            return 1
        return 2 + self.dashes

    @property
    def code(self) -> Code | None:
        """The code with the digits that count; None for a group."""
        return Code(self.digits[: self.position]) if self.suffix == _REAL_LINE else None


@dataclass(frozen=True, slots=True)
class TaricFile:
    """What a nomenclature file holds: its language, the day it was drawn up for, and its rows in force that day."""

    language: str
    reference_date: dt.date | None
    rows: tuple[TaricRow, ...]


def read_xlsx(path: Path) -> TaricFile:
    """The nomenclature in a TARIC workbook. Raises SourceError if it is not one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the publisher's workbook has no default style
        try:
            book = load_workbook(path, read_only=True)
            sheets = [sheet.iter_rows(values_only=True) for sheet in book.worksheets]
            table = list(sheets[0]) if sheets else []
            reference = _reference_date(cell for sheet in sheets[1:] for row in sheet for cell in row)
            book.close()
        except (InvalidFileException, BadZipFile, KeyError, OSError, ValueError, SyntaxError, zlib.error) as fault:
            msg = f"{path.name} is not an XLSX workbook: {fault}."
            raise SourceError(msg) from fault
    columns = _columns(path, table)
    day = reference or dt.datetime.now(tz=dt.UTC).date()
    rows = [row for row in table[1:] if row and row[columns["Goods code"]]]
    languages = {str(row[columns["Language"]]) for row in rows}
    if len(languages) != 1:
        msg = f"{path.name} should hold one language and holds {', '.join(sorted(languages)) or 'no rows'}."
        raise SourceError(msg)
    kept = tuple(_parse(row, columns) for row in rows if _in_force(row, columns, day))
    return TaricFile(languages.pop().lower(), reference, kept)


def to_schedule(file: TaricFile, edition: str, *, in_force_from: dt.date | None = None) -> Schedule:
    """The Combined Nomenclature in a TARIC file: 8-digit lines, every level above them present."""
    rows = with_all_levels(_without_empty_groups(_lines_named(_cn_rows(file.rows))))
    return assemble(ScheduleName.EU_CN, edition, rows, in_force_from=in_force_from or file.reference_date)


def _columns(path: Path, table: Sequence[Sequence[Any]]) -> dict[str, int]:
    header = [str(cell) for cell in table[0]] if table else []
    absent = [name for name in _COLUMNS if name not in header]
    if absent:
        msg = f"{path.name} is not TARIC's goods nomenclature: it has no column {', '.join(absent)}."
        raise SourceError(msg)
    return {name: header.index(name) for name in _COLUMNS}


def _reference_date(cells: Iterable[object]) -> dt.date | None:
    """The day for which the publisher drew up the file, from the query it puts on the second sheet."""
    found = next((match for cell in cells if (match := _REFERENCE_DATE.search(str(cell)))), None)
    return dt.date(int(found[3]), int(found[2]), int(found[1])) if found else None


def _in_force(row: Sequence[Any], columns: dict[str, int], day: dt.date) -> bool:
    start, end = _date(row[columns["Start date"]]), _date(row[columns["End date"]])
    return (start is None or start <= day) and (end is None or end >= day)


def _date(value: object) -> dt.date | None:
    if isinstance(value, dt.datetime):
        return value.date()
    return dt.datetime.strptime(str(value), "%d-%m-%Y").replace(tzinfo=dt.UTC).date() if value else None


def _parse(row: Sequence[Any], columns: dict[str, int]) -> TaricRow:
    found = _GOODS_CODE.fullmatch(str(row[columns["Goods code"]]).strip())
    if found is None:
        msg = f"TARIC row {row[columns['Goods code']]!r}: a goods code is ten digits and a suffix of two."
        raise SourceError(msg)
    return TaricRow(
        digits=found[1],
        suffix=found[2],
        position=int(row[columns["Hier. Pos."]]),
        dashes=str(row[columns["Indent"]] or "").count("-"),
        text=from_taric(str(row[columns["Description"]] or "")),
    )


def _cn_rows(rows: Iterable[TaricRow]) -> list[tuple[TaricRow, PublishedRow]]:
    """The rows of the Combined Nomenclature: those of TARIC's own subdivisions are left out."""
    return [(row, PublishedRow(row.code, row.depth, row.text)) for row in rows if row.position <= _CN_DIGITS]


def _lines_named(pairs: Sequence[tuple[TaricRow, PublishedRow]]) -> Iterator[PublishedRow]:
    """Rows with nothing coded below them are CN codes: they get their 8 digits and may be declared."""
    parents = parents_of([row for _, row in pairs])
    divided: set[int] = set()
    for index, (_, row) in enumerate(pairs):
        parent = parents[index]
        while row.code and parent is not None and parent not in divided:
            divided.add(parent)
            parent = parents[parent]
    for index, (published, row) in enumerate(pairs):
        if row.code is None or index in divided:
            yield row
        else:
            yield replace(row, code=Code(published.digits[:_CN_DIGITS]), declarable=True)


def _without_empty_groups(rows: Iterable[PublishedRow]) -> list[PublishedRow]:
    """Groups that held only TARIC's own subdivisions go."""
    kept: list[PublishedRow] = []
    for row in reversed(list(rows)):
        if row.code is not None or (kept and kept[-1].depth > row.depth):
            kept.append(row)
    return kept[::-1]
