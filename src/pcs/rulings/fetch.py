"""Fetching CROSS: month by month, page by page, then the texts. The traps: a fetch of days is killed and must go on
where it was; the publisher may announce more rulings than it serves; what was published late lies in months already
read."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import dataclass

from pcs.base.plurals import counted
from pcs.base.publisher import Publisher
from pcs.rulings.service import RulingCorpus
from pcs.tariff.ruling import RulingSource
from pcs.tariff.sources import cbp_cross
from pcs.tariff.sources.cbp_cross import MOST_HITS, DateRange, months
from pcs.tariff.sources.problem import SourceError

READ_AGAIN = dt.timedelta(days=60)  # rulings appear up to some weeks after their date
_RUN = "cross:run"
_READ_TO = "cross:read-to"

Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a fetch brought: texts, and rulings for which CROSS has none."""

    texts: int
    without_text: int


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a run stands: its days, the window being read, the next page of it, the rows of it seen so far."""

    run: DateRange
    window: DateRange
    page: int = 1
    seen: int = 0

    def write(self) -> str:
        days = (self.run.first, self.run.last, self.window.first, self.window.last)
        return json.dumps([*(day.isoformat() for day in days), self.page, self.seen])

    @classmethod
    def read(cls, text: str) -> _Place:
        *days, page, seen = json.loads(text)
        a, b, c, d = map(dt.date.fromisoformat, days)
        return cls(DateRange(a, b), DateRange(c, d), page, seen)

    def after(self) -> _Place | None:
        """The beginning of the next window; None at the end of the run."""
        following = next(months(self.window.last + dt.timedelta(days=1), self.run.last), None)
        return _Place(self.run, following) if following else None


def fetch_rows(
    corpus: RulingCorpus,
    publisher: Publisher,
    last: dt.date,
    *,
    first: dt.date | None = None,
    report: Report = lambda _what, _done, _total: None,
) -> None:
    """Every ruling of some days, with status and codes but without its text.

    `first` None goes on from the end of the last fetch. A run that was killed goes on from the page it reached. Raises
    SourceError and PublisherError; what was read by then is kept.
    """
    place: _Place | None = _unfinished(corpus) or _start(first or _resume_from(corpus), last)
    while place:
        days = (place.run.last - place.run.first).days + 1
        report("days", (place.window.first - place.run.first).days, days)
        run, place = place.run, _read_page(corpus, publisher, place)
        if place is None:
            corpus.add_page((), {_RUN: "", _READ_TO: run.last.isoformat()})
            report("days", days, days)
    corpus.derive_statuses()


def fetch_texts(
    corpus: RulingCorpus, publisher: Publisher, *, report: Report = lambda _what, _done, _total: None
) -> Fetched:
    """The texts of the rulings that have none yet, newest first. Killed, it goes on with those still without one."""
    references = corpus.without_text(RulingSource.CROSS)
    missing = 0
    for number, reference in enumerate(references):
        report("texts", number, len(references))
        known = corpus.get(reference)
        assert known is not None
        found = cbp_cross.read_detail(publisher.get(f"/ruling/{reference}"), known)
        if found is None:
            missing += 1
        else:
            corpus.add_page((found,), {})
    report("texts", len(references), len(references))
    return Fetched(len(references) - missing, missing)


def _unfinished(corpus: RulingCorpus) -> _Place | None:
    place = corpus.place(_RUN)
    return _Place.read(place) if place else None


def _start(first: dt.date, last: dt.date) -> _Place | None:
    window = next(months(first, last), None)
    return _Place(DateRange(first, last), window) if window else None


def _resume_from(corpus: RulingCorpus) -> dt.date:
    """Some weeks before the end of the last whole fetch, or the beginning of CROSS."""
    read_to = corpus.place(_READ_TO)
    return dt.date.fromisoformat(read_to) - READ_AGAIN if read_to else dt.date(cbp_cross.FIRST_YEAR, 1, 1)


def _read_page(corpus: RulingCorpus, publisher: Publisher, place: _Place) -> _Place | None:
    """Read a page, keep it together with the place after it, and say that place; None at the end of the run."""
    page = cbp_cross.read_search(publisher.get("/search", cbp_cross.search_params(place.window, place.page)))
    if page.total >= MOST_HITS and place.window.first < place.window.last:
        return _Place(place.run, place.window.halves()[0])
    seen = place.seen + len(page.rulings)
    if page.rulings and seen < page.total:
        following: _Place | None = _Place(place.run, place.window, place.page + 1, seen)
        corpus.add_page(page.rulings, {_RUN: following.write() if following else ""})
        return following
    corpus.add_page(page.rulings, {})
    _require_all(corpus, place, page.total)
    following = place.after()
    corpus.add_page((), {_RUN: following.write() if following else ""})
    return following


def _require_all(corpus: RulingCorpus, place: _Place, announced: int) -> None:
    """A window is done when it holds what was announced; else it is to be read again from its first page."""
    days = place.window
    found = corpus.count_between(RulingSource.CROSS, days.first, days.last)
    if found < announced:
        corpus.add_page((), {_RUN: _Place(place.run, days).write()})
        rulings = counted(announced, "ruling")
        msg = f"CROSS announced {rulings} of {days.first} to {days.last} and served {found:,}. Fetch again."
        raise SourceError(msg)
