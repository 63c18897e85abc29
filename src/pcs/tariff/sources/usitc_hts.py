"""The Harmonized Tariff Schedule of the United States as USITC exports it, in JSON or CSV. The traps: rows without a
number are groups whose words decide; 8,148 8-digit lines exist only through their ".00" row; indents jump; texts may
hold HTML."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pcs.tariff.code import Code, InvalidCodeError
from pcs.tariff.harmonized_system import chapters
from pcs.tariff.packing import assemble
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Duty, Footnote, PublishedRow, Schedule
from pcs.tariff.sources.levels import with_all_levels
from pcs.tariff.sources.markup import from_html, one_line
from pcs.tariff.sources.problem import SourceError

_EDITION = re.compile(
    r"(?P<year>20\d\d)[\s_-]*+(?:hts[\s_-]*+)?(?:(?P<basic>basic)|rev(?:ision)?[\s_-]*(?P<revision>\d+))", re.IGNORECASE
)
_CSV_COLUMNS = {
    "HTS Number": "htsno",
    "Indent": "indent",
    "Description": "description",
    "Unit of Quantity": "units",
    "General Rate of Duty": "general",
    "Special Rate of Duty": "special",
    "Column 2 Rate of Duty": "other",
}

Record = Mapping[str, Any]


def edition_of(name: str) -> str | None:
    """The edition that a file or a release is named after, or None.

    >>> edition_of("hts_2026_rev_10.json.gz"), edition_of("2025HTSBasic"), edition_of("export.json")
    ('2026-rev-10', '2025-basic', None)
    """
    found = _EDITION.search(name)
    if found is None:
        return None
    return f"{found['year']}-basic" if found["basic"] else f"{found['year']}-rev-{int(found['revision'])}"


def read_json(content: bytes | str, edition: str, *, in_force_from: dt.date | None = None) -> Schedule:
    """The schedule in a JSON export. Raises SourceError if it is not one."""
    try:
        records = json.loads(content)
    except (ValueError, RecursionError) as error:
        msg = f"This is not the JSON export of the HTS: {error}."
        raise SourceError(msg) from error
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        msg = "This is not the JSON export of the HTS: it should be a list of rows."
        raise SourceError(msg)
    return to_schedule(records, edition, in_force_from=in_force_from)


def read_csv(content: str, edition: str, *, in_force_from: dt.date | None = None) -> Schedule:
    """The schedule in a CSV export. Raises SourceError if it is not one."""
    reader = csv.DictReader(io.StringIO(content.removeprefix("\ufeff")))
    absent = set(_CSV_COLUMNS) - set(reader.fieldnames or ())
    if absent:
        msg = f"This is not the CSV export of the HTS: it has no column {', '.join(sorted(absent))}."
        raise SourceError(msg)
    records = [{_CSV_COLUMNS[key]: value for key, value in record.items() if key in _CSV_COLUMNS} for record in reader]
    return to_schedule(records, edition, in_force_from=in_force_from)


def to_schedule(records: Iterable[Record], edition: str, *, in_force_from: dt.date | None = None) -> Schedule:
    """The schedule that the publisher's rows make, every level above a line present."""
    rows = with_all_levels(list(_with_chapters(list(_rows(list(records))))))
    return assemble(ScheduleName.US_HTS, edition, rows, in_force_from=in_force_from)


def _with_chapters(rows: Sequence[PublishedRow]) -> Iterator[PublishedRow]:
    """The export has no rows for chapters: each gets one, and the titles of sub-chapters, whose indent is any number,
    stand between it and the headings."""
    chapter = ""
    coded = rows[-1:]
    following_rows = [coded := [row] if row.code else coded for row in reversed(rows)][::-1]
    for row, (following,) in zip(rows, following_rows, strict=True):
        if following.code and following.code[:2] != chapter:
            chapter = following.code[:2]
            yield PublishedRow(Code(chapter), 0, chapters()[Code(chapter)], implied=True)
        is_title = row.code is None and following.depth == 0
        yield replace(row, depth=1 if is_title else row.depth + 2)


def _rows(records: list[Record]) -> Iterator[PublishedRow]:
    codes = [_code(record, number) for number, record in enumerate(records, 1)]
    divided = {code[:8] for code in codes if code and len(code) == 10}
    for number, (code, record) in enumerate(zip(codes, records, strict=True), 1):
        yield PublishedRow(
            code,
            _indent(record, number),
            from_html(str(record.get("description") or "")),
            declarable=code is not None and (len(code) == 10 or (len(code) == 8 and code not in divided)),
            duty=_duty(record),
            units=_units(record.get("units")),
            footnotes=_footnotes(record.get("footnotes")),
        )


def _code(record: Record, number: int) -> Code | None:
    text = str(record.get("htsno") or "").strip()
    try:
        return Code.parse(text) if text else None
    except InvalidCodeError as error:
        msg = f"Row {number} of the HTS export: {error}."
        raise SourceError(msg) from error


def _indent(record: Record, number: int) -> int:
    try:
        return int(record["indent"])
    except (KeyError, TypeError, ValueError) as error:
        msg = f"Row {number} of the HTS export ({record.get('htsno') or 'without a number'}) has no indent."
        raise SourceError(msg) from error


def _duty(record: Record) -> Duty | None:
    rates = [from_html(str(record.get(column) or "")) for column in ("general", "special", "other")]
    return Duty(*rates) if any(rates) else None


def _units(value: object) -> tuple[str, ...]:
    """Units of quantity: a list in JSON, the same list as text in CSV."""
    if isinstance(value, str):
        value = json.loads(value) if value.startswith("[") else value.split(",")
    units = (one_line(str(unit)) for unit in value) if isinstance(value, list) else ()
    return tuple(unit for unit in units if unit)


def _footnotes(value: object) -> tuple[Footnote, ...]:
    """The footnotes of a row; the CSV export has none."""
    records = value if isinstance(value, list) else ()
    found = ((record, from_html(str(record.get("value") or ""))) for record in records if isinstance(record, dict))
    return tuple(Footnote(tuple(map(str, record.get("columns") or ())), text) for record, text in found if text)
