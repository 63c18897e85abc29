"""Which stored revision was in force on a day, by the revisions' own dates.

The trap: a revision that was stored and not promoted, or rolled back, which would come in by the back door; of those
that are newer than the one that answers, only one whose first day is still to come may answer for its days."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from pcs.base.errors import NotFoundError
from pcs.schedules.model import StoredRevision
from pcs.tariff.revision import Revision, ScheduleName


def in_force_from(revision: Revision) -> dt.date:
    """The first day of a revision; where its publication does not say it, the first of the year of its edition."""
    if revision.in_force_from:
        return revision.in_force_from
    year = revision.order[0] if revision.order else 0
    return dt.date(year, 1, 1) if dt.MINYEAR < year <= dt.MAXYEAR else dt.date.min


def in_force_on(
    name: ScheduleName, stored: Sequence[StoredRevision], current: str, day: dt.date, today: dt.date
) -> StoredRevision:
    """The stored revision that was, is or will be in force on a day; `current` is the key of the one that answers.

    Raises NotFoundError, which says what is loaded.
    """
    answering = next(each for each in stored if each.key == current)
    candidates = [each for each in _candidates(stored, answering, today) if _covers(each.revision, day)]
    if not candidates:
        raise NotFoundError(_none(name, _candidates(stored, answering, today), day))
    return max(candidates, key=lambda each: _rank(each, answering))


def _candidates(stored: Iterable[StoredRevision], answering: StoredRevision, today: dt.date) -> list[StoredRevision]:
    """Those in the language of the one that answers, without those that were passed over."""
    own = answering.revision
    return [
        each
        for each in stored
        if each.revision.language == own.language
        and (each.key == answering.key or _order(each.revision) < _order(own) or in_force_from(each.revision) > today)
    ]


def _covers(revision: Revision, day: dt.date) -> bool:
    return in_force_from(revision) <= day and (revision.in_force_to is None or day <= revision.in_force_to)


def _order(revision: Revision) -> tuple[dt.date, tuple[int, ...]]:
    return in_force_from(revision), revision.order


def _rank(one: StoredRevision, answering: StoredRevision) -> tuple[object, ...]:
    return *_order(one.revision), one.key == answering.key, one.stored_at


def _none(name: ScheduleName, candidates: Sequence[StoredRevision], day: dt.date) -> str:
    earliest = min(candidates, key=lambda each: _order(each.revision)).revision
    since = in_force_from(earliest)
    said = f"the earliest is {earliest.name}, from {since:%-d %B %Y} on" if day < since else "none covers that day"
    return (
        f"No loaded revision of {name} was in force on {day:%-d %B %Y}: {said}. An operator can load the one of that "
        "day with `pcs schedules import FILE --in-force-from DAY --no-promote`."
    )
