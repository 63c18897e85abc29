"""Classifications: the list, a page each, a person's review, a report to print. The trap: a page that trusts the shape
of a stored result; what an older version of the service left out is simply not shown."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, TypeVar
from urllib.parse import urlencode

from starlette.responses import Response

from pcs.base import ids
from pcs.base.errors import InvalidRequestError, NotFoundError, Violation
from pcs.classifications import assigning, consistency
from pcs.classifications import service as classifications
from pcs.classifications.model import Classification, Final, Status, history_of
from pcs.classifications.wordings import in_language, reader_language
from pcs.dashboard.reader import languages
from pcs.dashboard.tree import path_picture
from pcs.dashboard.uploads import csv_response
from pcs.dashboard.visit import Visit, action, page
from pcs.engine.result import Result
from pcs.lists import service as lists
from pcs.lists.model import Attention, Sort, Wanted
from pcs.organizations import audit
from pcs.organizations.people import Action, Permission
from pcs.products.intake import tidy_text
from pcs.reviews.model import Decision, Review
from pcs.schedules.library import Library
from pcs.schedules.likely import likely_sets
from pcs.schedules.lines import DeclarableLine, declarable_line
from pcs.tariff.code import Code
from pcs.tariff.notes import Note
from pcs.tariff.revision import ScheduleName

LIST = "/dashboard/{environment:environment}/classifications"
ONE = f"{LIST}/{{classification_id}}"
_LONGEST_NOTE = 2_000
_EXPORTED = 5_000
_NOTES_SHOWN = 8
_PAGES = {
    ids.CLASSIFICATION: "/classifications",
    ids.PRODUCT: "/products",
    ids.DELIVERY: "/settings/webhooks/deliveries",
    ids.REQUEST: "/settings/requests",
}
_Word = TypeVar("_Word", bound=StrEnum)


async def show(visit: Visit) -> Response:
    """The list, as the address asks for it; a search for an id leads to what it names."""
    if named := page_of(visit.asked("q").lower()):
        return visit.go(named)
    wanted = wanted_of(visit)
    async with visit.service.database.begin() as transaction:
        found = await lists.page(transaction, visit.tenant, wanted)
        reviewers = await assigning.reviewers(transaction, visit.tenant)
    names = ("q", "status", "schedule", "review", "assigned", "sort")
    kept = {name: visit.asked(name) for name in names if visit.asked(name)}
    return visit.render(
        "classifications.html",
        wanted=wanted,
        lines=found.items,
        following=urlencode({**kept, "after": found.next_after}) if found.next_after else None,
        first=urlencode(kept) if wanted.after else None,
        query=urlencode(kept),
        statuses=tuple(Status),
        schedules=tuple(ScheduleName),
        sorts=tuple(Sort),
        reviewers=reviewers,
        under_way=any(not line.status.is_final for line in found.items),
    )


def page_of(asked: str) -> str | None:
    """The page of what an id names; None for what is no id."""
    return next((f"{pages}/{asked}" for kind, pages in _PAGES.items() if ids.is_id(kind, asked)), None)


def wanted_of(visit: Visit, *, limit: int = 25) -> Wanted:
    """What the list of an address shows."""
    batch = visit.asked("q").lower() if ids.is_id(ids.BATCH, visit.asked("q").lower()) else None
    return Wanted(
        search="" if batch else visit.searched(),
        batch_ids=(batch,) if batch else None,
        status=_word(Status, visit.asked("status")),
        schedule=_word(ScheduleName, visit.asked("schedule")),
        assigned_to=visit.asked("assigned").lower() or None,
        attention=_word(Attention, visit.asked("review")),
        inconsistent=True if visit.asked("review") == "inconsistent" else None,
        sort=_word(Sort, visit.asked("sort")) or Sort.NEWEST,
        after=visit.asked("after") or None,
        limit=limit,
    )


def _word(kind: type[_Word], asked: str) -> _Word | None:
    return next((word for word in kind if word == asked), None)


async def export(visit: Visit) -> Response:
    """What the list shows, as CSV, up to a limit."""
    async with visit.service.database.begin() as transaction:
        found = await lists.page(transaction, visit.tenant, wanted_of(visit, limit=_EXPORTED))
    return csv_response(found.items, "classifications.csv")


async def show_one(visit: Visit) -> Response:
    """One classification. Raises NotFoundError."""
    return await _rendered(visit, "classification.html")


async def report(visit: Visit) -> Response:
    """The same as a record to print. Raises NotFoundError."""
    return await _rendered(visit, "report.html")


async def _rendered(visit: Visit, template: str) -> Response:
    classification_id = visit.request.path_params["classification_id"]
    async with visit.service.database.begin() as transaction:
        one = await classifications.get(transaction, visit.tenant, classification_id)
        before = await classifications.get(transaction, visit.tenant, one.supersedes) if one.supersedes else None
        steps = await classifications.get_steps(transaction, visit.tenant, classification_id)
        [one] = await consistency.beside(transaction, visit.tenant, [one])
        reviewers = await assigning.reviewers(transaction, visit.tenant)
    library = visit.service.library
    read = await asyncio.to_thread(_read, library, one, languages(visit.request))
    result = in_order(read.result) if read.result else None
    code = one.final.code if one.final else result.code if result else None
    drawn = (
        {"wide": path_picture(result, width=560), "narrow": path_picture(result, width=330)}
        if result and result.hierarchy
        else {}
    )
    return visit.render(
        template,
        one=one,
        before=before.result if before else None,
        result=result,
        final=read.final,
        code=code,
        overruled=bool(one.final and result and one.final.code != result.code),
        steps=steps,
        notes=await notes_of(visit, one.schedule, code),
        likely=await asyncio.to_thread(likely_sets, library, one.schedule, result, read.language),
        language=read.language,
        languages=read.languages,
        notes_shown=_NOTES_SHOWN,
        drawn=drawn,
        decisions=tuple(Decision),
        reviewers=reviewers,
        life=_life(one),
    )


@dataclasses.dataclass(frozen=True, slots=True)
class _Read:
    """A result as its reader sees it, and the languages that its official words are loaded in."""

    result: Result | None
    final: Final | None
    language: str
    languages: tuple[str, ...]


def _read(library: Library, one: Classification, wanted: Sequence[str]) -> _Read:
    if one.result is None:
        return _Read(None, one.final, "", ())
    languages = library.languages(one.schedule, one.result.schedule_revision)
    language = reader_language(library, one, wanted) or languages[0]
    [shown] = in_language(library, [one], language)
    return _Read(shown.result, shown.final, language, languages)


def in_order(result: Result) -> Result:
    """A result in which no alternative stands above the answer; older versions of the service stored some that do."""
    if result.confidence is None:
        return result
    most = result.confidence
    others = [dataclasses.replace(each, confidence=min(each.confidence or 0.0, most)) for each in result.alternatives]
    return dataclasses.replace(result, alternatives=tuple(others))


async def notes_of(visit: Visit, schedule: ScheduleName, code: Code | None) -> list[Note]:
    """The notes of the law that speak of goods of this code; none where none were imported."""
    if code is None:
        return []
    try:
        entry = await asyncio.to_thread(visit.service.library.look_up, schedule, code)
    except NotFoundError:
        return []
    return list(entry.notes)


def _life(one: Classification) -> list[tuple[str, str, Any]]:
    """The steps that every classification goes through: what, how it stands (done, now, later, bad), and when."""
    begun, final = one.started_at is not None, one.status.is_final
    ending = "Failed" if one.status is Status.FAILED else "Completed"
    return [
        ("Received", "done", one.created_at),
        ("Analysis", "done" if final else "now" if begun else "later", one.started_at),
        (ending, ("bad" if one.status is Status.FAILED else "done") if final else "later", one.completed_at),
    ]


async def review(visit: Visit) -> Response:
    """Put a person's word beside the result. Raises NotFoundError, InvalidRequestError or NotReviewableError."""
    await reviewed(visit, _word(Decision, visit.text("decision")), visit.text("code"))
    return visit.go(f"/classifications/{visit.request.path_params['classification_id']}", done="reviewed")


async def reviewed(visit: Visit, decision: Decision | None, typed: str) -> None:
    """Keep a member's review of the classification that the address names; `typed` is the code that is right.

    Raises NotFoundError, InvalidRequestError or NotReviewableError.
    """
    classification_id = visit.request.path_params["classification_id"]
    if decision is None:
        raise InvalidRequestError(Violation("decision", "is needed"))
    async with visit.service.database.begin() as transaction:
        one = await classifications.get(transaction, visit.tenant, classification_id)
        line = await _line(visit, one, decision, typed)
        said = Review(decision, visit.member.email, visit.now, line.code if line else None, _note(visit))
        after = await classifications.review(transaction, visit.tenant, classification_id, said, line)
        detail = history_of(one, after)
        await audit.record(
            transaction, visit.actor, Action.REVIEWED, subject=classification_id, detail=detail, now=visit.now
        )


async def _line(visit: Visit, one: Classification, decision: Decision, typed: str) -> DeclarableLine | None:
    if decision is not Decision.CORRECTED:
        return None
    return await asyncio.to_thread(declarable_line, visit.service.library, one.schedule, tidy_text(typed))


def _note(visit: Visit) -> str | None:
    note = tidy_text(visit.text("note"))
    if len(note) > _LONGEST_NOTE:
        raise InvalidRequestError(Violation("note", f"must have at most {_LONGEST_NOTE:,} characters"))
    return note or None


async def cancel(visit: Visit) -> Response:
    """End what nobody has begun. Raises NotFoundError or NotPendingError."""
    classification_id = visit.request.path_params["classification_id"]
    async with visit.service.database.begin() as transaction:
        await classifications.cancel(transaction, visit.tenant, classification_id, now=visit.now)
        await audit.record(transaction, visit.actor, Action.CANCELLED, subject=classification_id, now=visit.now)
    return visit.go(f"/classifications/{classification_id}", done="cancelled")


ROUTES = (
    page(LIST, show),
    page(f"{LIST}.csv", export),
    page(ONE, show_one),
    page(f"{ONE}/report", report),
    action(f"{ONE}/review", review, shown=show_one, needs=Permission.REVIEW),
    action(f"{ONE}/cancel", cancel, shown=show_one, needs=Permission.CLASSIFY),
)
