"""Binding tariff information of the EU: a ZIP with one CSV a year (full export) or one of what changed (daily). The
traps: a million rows that fit in no memory; codes padded with asterisks; dates in two forms; a column whose name has a
stray space; decisions that ended stay in the file."""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from pcs.tariff.code import Code
from pcs.tariff.ruling import Ruling, RulingSource, RulingStatus, normal_reference
from pcs.tariff.sources.markup import one_line
from pcs.tariff.sources.problem import SourceError

ADDRESS = "https://ec.europa.eu/taxation_customs/dds2/ebti"
FULL_EXPORT = "/ebti_export_management.jsp?message=extractFull"
_PAGE = "https://ec.europa.eu/taxation_customs/dds2/ebti/ebti_details.jsp?Lang=en&reference="
_NEEDED = ("BTI_REFERENCE", "NOMENCLATURE_CODE", "DESCRIPTION_OF_GOODS", "STATUS")
_FIELD_LIMIT = 10_000_000  # characters: some grounds hold whole regulations
_CN_DIGITS = 8
_NOT_DIGIT = re.compile(r"\D")
_EUROPEAN_DATE = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_SUBJECT = 200

Report = Callable[[int, int], None]
Row = Mapping[str, str]


def read_zip(path: Path, report: Report = lambda _done, _total: None) -> Iterator[Ruling]:
    """The decisions in an export, one at a time, ended ones included. `report` hears bytes read and in all.

    Raises SourceError if it is no export.
    """
    csv.field_size_limit(_FIELD_LIMIT)
    try:
        with zipfile.ZipFile(path) as archive:
            members = [info for info in archive.infolist() if info.filename.lower().endswith(".csv")]
            if not members:
                msg = f"{path.name} holds no CSV: it is not an export of EBTI."
                raise SourceError(msg)
            total, done = sum(info.file_size for info in members), 0
            for info in members:
                for ruling, place in _read_member(archive, info):
                    report(done + place, total)
                    yield ruling
                done += info.file_size
    except (zipfile.BadZipFile, EOFError, OSError) as error:
        msg = f"{path.name} is not a whole ZIP: {error}."
        raise SourceError(msg) from error


def read_row(row: Row) -> Ruling | None:
    """The decision in a row; None where it lacks a reference or a code. Its status is that of its fields."""
    reference = normal_reference(row.get("BTI_REFERENCE") or "")
    code = _code(row.get("NOMENCLATURE_CODE") or "")
    if not reference or code is None:
        return None
    goods = (row.get("DESCRIPTION_OF_GOODS") or "").strip()
    status, because = _status(row)
    return Ruling(
        reference=reference,
        source=RulingSource.EBTI,
        date=_date(row.get("DATE_OF _ISSUE") or row.get("DATE_OF_ISSUE") or row.get("START_DATE_OF_VALIDITY")),
        subject=_subject(row.get("KEYWORDS") or "", goods),
        text=goods,
        grounds=(row.get("CLASSIFICATION_JUSTIFICATION") or "").strip(),
        codes=(code,),
        status=status,
        status_from=because,
        url=_PAGE + reference,
        language=(row.get("LANGUAGE") or "").strip().lower() or "und",
        valid_to=_date(row.get("END_DATE_OF_VALIDITY")),
    )


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[tuple[Ruling, int]]:
    with archive.open(info) as raw, io.TextIOWrapper(raw, "utf-8-sig", errors="replace", newline="") as text:
        head = text.readline()
        header = next(csv.reader([head], delimiter=_delimiter(head)), [])
        absent = [name for name in _NEEDED if name not in header]
        if absent:
            msg = f"{info.filename} is not an export of EBTI: it has no column {', '.join(absent)}."
            raise SourceError(msg)
        for fields in csv.reader(text, delimiter=_delimiter(head)):
            ruling = read_row(dict(zip(header, fields, strict=False)))
            if ruling is not None:
                yield ruling, raw.tell()


def _delimiter(head: str) -> str:
    return max(",;\t", key=head.count)


def _status(row: Row) -> tuple[RulingStatus, str]:
    stated = (row.get("STATUS") or "").strip().upper()
    reason = one_line(row.get("INVALIDATION_REASON") or "")
    if stated == "VALID":
        return RulingStatus.IN_FORCE, "EBTI gives it as valid"
    if stated:
        return RulingStatus.REVOKED, f"EBTI gives it as {stated.lower()}{': ' + reason if reason else ''}"
    return RulingStatus.UNKNOWN, "the source does not say"


def _code(text: str) -> Code | None:
    """The CN code: asterisks and TARIC's own digits go.

    >>> _code("95030075********"), _code("9503007500************")
    ('95030075', '95030075')
    """
    digits = _NOT_DIGIT.sub("", text)[:_CN_DIGITS]
    return Code(digits[: len(digits) // 2 * 2]) if len(digits) >= 4 else None


def _date(text: str | None) -> dt.date | None:
    found = _EUROPEAN_DATE.match(text or "")
    try:
        return (
            dt.date(int(found[3]), int(found[2]), int(found[1])) if found else dt.date.fromisoformat((text or "")[:10])
        )
    except ValueError:
        return None


def _subject(keywords: str, goods: str) -> str:
    """The keywords, or the beginning of the description."""
    words = one_line(keywords) or one_line(goods)
    return words if len(words) <= _SUBJECT else words[:_SUBJECT].rsplit(" ", 1)[0] + "…"
