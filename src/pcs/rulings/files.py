"""Files of rulings, whatever their kind: EBTI's ZIP, or JSON Lines in the shape of CROSS or in our own. The trap: one
bad line in a hundred thousand must be named by its number, and nothing before it lost."""

from __future__ import annotations

import datetime as dt
import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from pcs.rulings.service import RulingCorpus
from pcs.tariff.ruling import Ruling, RulingSource, RulingStatus, normal_reference, read_codes
from pcs.tariff.sources import cbp_cross, ebti
from pcs.tariff.sources.problem import SourceError

Report = Callable[[int, int], None]
_BATCH = 500
_NO_OBJECT = (json.JSONDecodeError, UnicodeDecodeError, TypeError, AttributeError)


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: rulings added, rulings marked as ended, rulings left out (ended, or in another language)."""

    added: int
    withdrawn: int
    left_out: int

    def plus(self, more: Imported) -> Imported:
        """Both together."""
        return Imported(self.added + more.added, self.withdrawn + more.withdrawn, self.left_out + more.left_out)


def read_rulings(path: Path, report: Report = lambda _done, _total: None) -> Iterator[Ruling]:
    """The rulings in a file, one at a time. `report` hears bytes read and in all. Raises SourceError."""
    with path.open("rb") as file:
        start = file.read(2)
    if start == b"PK":
        yield from ebti.read_zip(path, report)
    else:
        yield from _read_lines(path, report, packed=start == b"\x1f\x8b")


def import_rulings(
    corpus: RulingCorpus,
    rulings: Iterable[Ruling],
    day: dt.date,
    *,
    languages: frozenset[str] = frozenset(),
    report: Callable[[int], None] = lambda _count: None,
) -> Imported:
    """Add the rulings in force on a day, in some languages (all where none is named); mark those that ended.

    A ruling that ended is not added, but one that is in the corpus is marked: so a daily file withdraws decisions.
    """
    stream, total = iter(rulings), Imported(0, 0, 0)
    while batch := list(islice(stream, _BATCH)):
        ended = [_ended(ruling) for ruling in batch if _has_ended(ruling, day)]
        spoken = [ruling for ruling in batch if not languages or ruling.language in languages]
        kept = [ruling for ruling in spoken if not _has_ended(ruling, day)]
        corpus.add_page(kept, {})
        total = total.plus(Imported(len(kept), corpus.withdraw(ended), len(batch) - len(kept)))
        report(total.added)
    corpus.derive_statuses()
    return total


def _has_ended(ruling: Ruling, day: dt.date) -> bool:
    """Whether a decision of limited validity is over; a US ruling has no end but keeps its place, marked as revoked."""
    over = ruling.valid_to is not None and ruling.valid_to < day
    return ruling.source.ends and (over or ruling.status is RulingStatus.REVOKED)


def _ended(ruling: Ruling) -> Ruling:
    """A ruling that ended, with why."""
    because = ruling.status_from if ruling.status is RulingStatus.REVOKED else f"valid until {ruling.valid_to}"
    return replace(ruling, status=RulingStatus.REVOKED, status_from=because)


def _read_lines(path: Path, report: Report, *, packed: bool) -> Iterator[Ruling]:
    total, done, empty = path.stat().st_size, 0, True
    with gzip.open(path) if packed else path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            done += len(line)
            if line.strip():
                yield _read_line(path, number, line)
                empty = False
            report(min(done, total), total)
    if empty:
        msg = f"{path.name} has no ruling: each is an object of JSON on a line of its own."
        raise SourceError(msg)


def _read_line(path: Path, number: int, line: bytes) -> Ruling:
    try:
        row = json.loads(line)
        return cbp_cross.read_row(row) if "rulingNumber" in row else _read_own(row)
    except (ValueError, TypeError, KeyError, AttributeError, SourceError) as error:
        wrong = "it is not an object of JSON" if isinstance(error, _NO_OBJECT) else str(error)
        msg = f"{path.name}, line {number}, is not a ruling: {wrong}."
        raise SourceError(msg) from error


def _read_own(row: Mapping[str, Any]) -> Ruling:
    """Our own shape: reference, date, subject, text, codes, status, url, and source, language, grounds, valid_to."""
    status = RulingStatus(row.get("status") or "unknown")
    return Ruling(
        reference=normal_reference(str(row["reference"])),
        source=RulingSource(row.get("source") or "other"),
        date=_date(row.get("date")),
        subject=str(row.get("subject") or ""),
        text=str(row.get("text") or ""),
        grounds=str(row.get("grounds") or ""),
        codes=read_codes(row.get("codes")),
        status=status,
        status_from="the file says so" if status is not RulingStatus.UNKNOWN else "the source does not say",
        url=row.get("url"),
        language=str(row.get("language") or "en"),
        valid_to=_date(row.get("valid_to")),
    )


def _date(value: object) -> dt.date | None:
    return dt.date.fromisoformat(str(value)[:10]) if value else None
