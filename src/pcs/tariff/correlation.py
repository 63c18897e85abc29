"""Which subheadings of one edition of the Harmonized System took the goods of which of the edition before: a table that
the user loads.

The trap: a revision within one edition, whose gone lines no correlation explains; it counts only between two."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping

from pcs.tariff.code import Code, InvalidCodeError
from pcs.tariff.revision import Revision
from pcs.tariff.sources.problem import SourceError

_LARGEST = 5_000_000  # bytes; the published tables have some hundred kilobytes

Correlation = Mapping[Code, tuple[Code, ...]]
"""Subheadings of the earlier edition, and those of the later one that have their goods."""


def read_correlation(content: bytes) -> dict[Code, tuple[Code, ...]]:
    r"""The table of a CSV file: a subheading of six digits, then one that has its goods, a pair a row; more columns and
    a row of titles are passed over, and so is "ex". Raises SourceError.

    >>> read_correlation(b"HS 2022,HS 2028\n8517.13,ex 8517.15\n8517.13,8517.16\n")
    {'851713': ('851715', '851716')}
    """
    if len(content) > _LARGEST:
        msg = "The file is too large to be a correlation of subheadings."
        raise SourceError(msg)
    text = content.decode("utf-8-sig", errors="replace")
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    found: dict[Code, tuple[Code, ...]] = {}
    for number, row in enumerate(_rows(text, delimiter), 1):
        if len(row) < 2 or not any(map(str.isdigit, row[0])) or (number == 1 and _is_title(row)):
            continue
        before, after = _subheading(row[0], number), _subheading(row[1], number)
        found[before] = (*found.get(before, ()), after)
    if not found:
        msg = "The file has no pairs of subheadings: give a CSV with the earlier code first, then the later one."
        raise SourceError(msg)
    return found


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    try:
        yield from csv.reader(io.StringIO(text), delimiter=delimiter)
    except csv.Error as error:
        msg = "The file is not a CSV."
        raise SourceError(msg) from error


def correlates(before: Revision, after: Revision) -> bool:
    """Whether two revisions are of other editions of the Harmonized System, the earlier one first."""
    return before.hs_edition < after.hs_edition


def _is_title(row: list[str]) -> bool:
    return any(letter.isalpha() for letter in row[0].lower().removeprefix("ex"))


def _subheading(cell: str, row: int) -> Code:
    plain = cell.strip().lower().removeprefix("ex").strip()
    try:
        code = Code.parse(plain)
    except InvalidCodeError as error:
        msg = f"Row {row}: {error}"
        raise SourceError(msg) from error
    if len(code) != len("851713"):
        msg = f"Row {row}: “{cell.strip()}” is not a subheading of six digits."
        raise SourceError(msg)
    return code
