"""Rulings of US Customs and Border Protection as its CROSS service answers. The traps: an unknown address answers 200
with a page; `tariffs` is a list or a text with commas; only the search rows say what revokes a ruling, only the detail
has its text; a search shows at most 10,000 hits, so it is asked month by month."""

from __future__ import annotations

import calendar
import datetime as dt
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pcs.base.publisher import PublisherResponse
from pcs.tariff.ruling import Ruling, RulingLinks, RulingSource, RulingStatus, normal_reference, read_codes
from pcs.tariff.sources.markup import from_html, one_line
from pcs.tariff.sources.problem import SourceError

ADDRESS = "https://rulings.cbp.gov/api"
PAGE = "https://rulings.cbp.gov/ruling/"
FIRST_YEAR = 1989
PAGE_SIZE = 250
MOST_HITS = 10_000


@dataclass(frozen=True, slots=True)
class SearchPage:
    """A page of search rows, and how many there are in all."""

    rulings: tuple[Ruling, ...]
    total: int


@dataclass(frozen=True, slots=True)
class DateRange:
    """Days from the first to the last, both included."""

    first: dt.date
    last: dt.date

    def halves(self) -> tuple[DateRange, DateRange]:
        """Two windows that make this one. It must have two days at least."""
        middle = self.first + (self.last - self.first) // 2
        return DateRange(self.first, middle), DateRange(middle + dt.timedelta(days=1), self.last)


def months(first: dt.date, last: dt.date) -> Iterator[DateRange]:
    """The months between two days, oldest first; the first and the last may be parts."""
    while first <= last:
        end = first.replace(day=calendar.monthrange(first.year, first.month)[1])
        yield DateRange(first, min(end, last))
        first = end + dt.timedelta(days=1)


def search_params(window: DateRange, page: int) -> dict[str, str | int]:
    """What to ask the search for, to get a page (from 1) of the rulings of some days."""
    return {
        "term": "*",
        "collection": "ALL",
        "pageSize": PAGE_SIZE,
        "page": page,
        "sortBy": "DATE_DESC",
        "fromDate": window.first.isoformat(),
        "toDate": window.last.isoformat(),
    }


def read_search(answer: PublisherResponse) -> SearchPage:
    """A page of search rows. Raises SourceError if the answer is anything else."""
    data = _json(answer, "search")
    rows, total = data.get("rulings"), data.get("totalHits")
    if not isinstance(rows, list) or not isinstance(total, int):
        msg = f"CROSS answered a search with {sorted(data)} instead of rulings and totalHits."
        raise SourceError(msg)
    return SearchPage(tuple(read_row(row) for row in rows), total)


def read_row(row: Mapping[str, Any]) -> Ruling:
    """The ruling in a search row, or in a stored row of the same shape. Raises SourceError without a number."""
    number = row.get("rulingNumber")
    if not isinstance(number, str) or not number.strip():
        msg = f"A ruling of CROSS has no number: {one_line(json.dumps(dict(row)))[:120]}"
        raise SourceError(msg)
    links = RulingLinks(
        revoked_by=_references(row.get("revokedBy")),
        modified_by=_references(row.get("modifiedBy")),
        revokes=_references(row.get("revokes")),
        modifies=_references(row.get("modifies")),
        related=_references(row.get("relatedRulings")),
    )
    status, because = _status(row, links)
    reference = normal_reference(number)
    return Ruling(
        reference=reference,
        source=RulingSource.CROSS,
        date=_date(row.get("rulingDate")),
        subject=from_html(str(row.get("subject") or "")),
        text=str(row.get("text") or ""),
        codes=read_codes(row.get("tariffs")),
        status=status,
        status_from=because,
        url=PAGE + reference,
        links=links,
    )


def read_detail(answer: PublisherResponse, known: Ruling) -> Ruling | None:
    """A known ruling with its text; None where CROSS has none. Raises SourceError if it answers another ruling."""
    if answer.status == 404:
        return None
    data = _json(answer, f"ruling {known.reference}")
    number = data.get("rulingNumber")
    if not isinstance(number, str) or normal_reference(number) != known.reference:
        msg = f"CROSS was asked for ruling {known.reference} and answered with {number or 'none'}."
        raise SourceError(msg)
    text = str(data.get("text") or "")
    return replace(known, text=text, codes=known.codes or read_codes(data.get("tariffs"))) if text.strip() else None


def _status(row: Mapping[str, Any], links: RulingLinks) -> tuple[RulingStatus, str]:
    """In force only where the row has the fields that would say otherwise."""
    if links.revoked_by:
        return RulingStatus.REVOKED, f"revoked by {', '.join(links.revoked_by)}"
    if row.get("operationallyRevoked") is True:
        return RulingStatus.REVOKED, "CROSS marks it as revoked by operation of law"
    if links.modified_by:
        return RulingStatus.MODIFIED, f"modified by {', '.join(links.modified_by)}"
    if isinstance(row.get("operationallyRevoked"), bool) and "revokedBy" in row:
        return RulingStatus.IN_FORCE, "CROSS names nothing that revokes or modifies it"
    return RulingStatus.UNKNOWN, "the source does not say"


def _references(value: object) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(dict.fromkeys(normal_reference(part) for part in parts if isinstance(part, str) and part.strip()))


def _date(value: object) -> dt.date | None:
    try:
        return dt.date.fromisoformat(str(value)[:10])
    except ValueError:
        return None


def _json(answer: PublisherResponse, asked: str) -> dict[str, Any]:
    try:
        data = json.loads(answer.text)
    except ValueError as error:
        what = "a page" if "<html" in answer.text[:500].lower() else "nothing" if not answer.content else "no JSON"
        msg = f"CROSS answered {asked} with {what} (HTTP {answer.status})."
        raise SourceError(msg) from error
    if not isinstance(data, dict):
        msg = f"CROSS answered {asked} with {type(data).__name__} instead of an object."
        raise SourceError(msg)
    return data
