"""Browsing the tariff: chapters, codes, search, revisions, what changed. The trap: opening a schedule on the event
loop; it takes a second the first time, so it is done in a thread."""

from __future__ import annotations

import asyncio
import datetime as dt
import io
import itertools
from collections.abc import Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

from starlette.responses import RedirectResponse, Response

from pcs.base.clock import day
from pcs.base.errors import NotFoundError
from pcs.base.paging import Slice
from pcs.classifications.outdated import OutdatedClassification, OutdatedPage, outdated_classifications
from pcs.classifications.reclassifying import classify_again
from pcs.dashboard.reader import languages
from pcs.dashboard.visit import Visit, action, page
from pcs.organizations.people import Permission
from pcs.schedules.library import Library
from pcs.spreadsheets.writing import write_csv
from pcs.tariff.changes import ASKING, ChangeKind, Changes
from pcs.tariff.code import Code, InvalidCodeError
from pcs.tariff.provisions import Entry
from pcs.tariff.revision import ScheduleName

_PATH = "/dashboard/{environment:environment}/schedules"
_CHANGES_SHOWN = 200
_OUTDATED_SHOWN = 20
_EXPORTED = 10_000


async def home(visit: Visit) -> Response:
    """Where the bare address leads."""
    return RedirectResponse(f"{visit.base}/schedules/{next(iter(ScheduleName))}", 303)


async def show(visit: Visit) -> Response:
    """The chapters of a schedule, or what a search found."""
    name, key, words = _name(visit), visit.asked("revision") or None, visit.searched()
    library = visit.service.library
    told = await asyncio.to_thread(_reader, library, name, key, languages(visit.request))
    revision, chapters = await asyncio.to_thread(partial(library.chapters, name, key, language=told["language"]))
    search = visit.service.searcher.search
    return visit.render(
        "schedule.html",
        schedule=name,
        names=tuple(ScheduleName),
        revision=revision,
        chapters=chapters,
        words=words,
        hits=(await search(name, words, key, language=told["language"])).hits if words else (),
        **told,
        **await _stored(library, name, key),
    )


def _reader(library: Library, name: ScheduleName, key: str | None, wanted: Sequence[str]) -> dict[str, Any]:
    """The language that a revision is read in, and those that it is loaded in."""
    edition = library.schedule(name, key).revision.edition
    languages = library.languages(name, edition)
    return {"language": library.reads(name, edition, wanted) or languages[0], "languages": languages}


async def _stored(library: Library, name: ScheduleName, key: str | None) -> dict[str, object]:
    revisions = await asyncio.to_thread(library.revisions, name)
    return {"revisions": revisions, "current": library.current_key(name), "chosen": key}


async def show_code(visit: Visit) -> Response:
    """One code: its path, what lies below it, its rate and the notes that speak of it."""
    name, library, on = _name(visit), visit.service.library, _day_asked(visit)
    key = visit.asked("revision") or None
    if on is not None:
        key = await asyncio.to_thread(library.key_on, name, on, visit.now.date())
    try:
        code = Code.parse(visit.request.path_params["code"])
    except InvalidCodeError as error:
        raise NotFoundError(str(error)) from None
    told = await asyncio.to_thread(_reader, library, name, key, languages(visit.request))
    look_up = partial(library.look_up, name, code, key, Entry(day=on), language=told["language"])
    entry = await asyncio.to_thread(look_up)
    return visit.render("code.html", schedule=name, names=tuple(ScheduleName), entry=entry, chosen=key, on=on, **told)


def _day_asked(visit: Visit) -> dt.date | None:
    """The day of which to show the law; None for what answers now. Raises NotFoundError."""
    try:
        return day(visit.asked("on")) if visit.asked("on") else None
    except ValueError as error:
        msg = f"The day of entry {error}."
        raise NotFoundError(msg) from None


async def show_changes(visit: Visit) -> Response:
    """What changed between two stored revisions, and which of the tenant's answers that makes outdated."""
    name, library = _name(visit), visit.service.library
    revisions = await asyncio.to_thread(library.revisions, name)
    before, after = await asyncio.to_thread(library.pair, name, visit.asked("from"), visit.asked("to"))
    changes = await asyncio.to_thread(library.changes, name, before, after)
    kind = _kind(visit)
    chosen = changes.of_kind(*([kind] if kind else ChangeKind)) if changes else ()
    return visit.render(
        "changes.html",
        schedule=name,
        names=tuple(ScheduleName),
        revisions=revisions,
        before=before,
        after=after,
        counts={each: len(changes.of_kind(each)) for each in ChangeKind} if changes else {},
        kind=kind,
        outdated=await _outdated(visit, changes, kind) if changes else None,
        later=bool(visit.asked("cursor")),
        changes=tuple(itertools.islice(chosen, _CHANGES_SHOWN)),
        left_out=max(0, len(chosen) - _CHANGES_SHOWN),
    )


async def _outdated(
    visit: Visit, changes: Changes, kind: ChangeKind | None, most: int = _OUTDATED_SHOWN
) -> OutdatedPage:
    wanted = Slice(most, visit.asked("cursor") or None)
    kinds = (kind,) if kind else ASKING
    async with visit.service.database.begin() as transaction:
        return await outdated_classifications(transaction, visit.tenant, changes, wanted, kinds)


async def export_outdated(visit: Visit) -> Response:
    """The tenant's answers that the changes touch, as CSV, up to a limit."""
    name = _name(visit)
    changes = await _changes(visit, name, visit.asked("from"), visit.asked("to"))
    found = await _outdated(visit, changes, _kind(visit), _EXPORTED) if changes else None
    rows = [_cells(one) for one in found.found.items] if found else []
    file = io.StringIO(newline="")
    write_csv(file, [_HEADER, *rows])
    headers = {"Content-Disposition": f'attachment; filename="outdated-{name}.csv"'}
    return Response(file.getvalue().encode(), media_type="text/csv; charset=utf-8", headers=headers)


_HEADER = ("identifier", "name", "code", "change", "before", "after", "new_codes", "schedule_revision", "id")


def _cells(one: OutdatedClassification) -> tuple[object, ...]:
    found, change = one.classification, one.change
    successors = "; ".join(code.dotted for code in change.successors)
    said = (found.code.dotted, change.kind.value, change.before, change.after, successors)
    return (found.product_identifier, found.product_name, *said, found.schedule_revision, found.id)


async def classify_outdated(visit: Visit) -> Response:
    """Classify the tenant's outdated answers again. Raises InsufficientCreditsError."""
    name, pair = _name(visit), (visit.text("from"), visit.text("to"))
    changes = await _changes(visit, name, *pair)
    if changes is not None:
        async with visit.service.database.begin() as transaction:
            await classify_again(transaction, visit.tenant, changes, now=visit.now)
    query = urlencode({"from": pair[0], "to": pair[1], "done": "classified_again"})
    return visit.go(f"/schedules/{name}/changes?{query}")


async def _changes(visit: Visit, name: ScheduleName, before: str, after: str) -> Changes | None:
    library = visit.service.library
    return await asyncio.to_thread(lambda: library.changes(name, *library.pair(name, before, after)))


def _kind(visit: Visit) -> ChangeKind | None:
    return next((kind for kind in ChangeKind if kind == visit.asked("kind")), None)


def _name(visit: Visit) -> ScheduleName:
    try:
        return ScheduleName(visit.request.path_params["schedule"])
    except ValueError:
        msg = "There is no such schedule."
        raise NotFoundError(msg) from None


ROUTES = (
    page(_PATH, home),
    page(f"{_PATH}/{{schedule}}", show),
    page(f"{_PATH}/{{schedule}}/changes", show_changes),
    action(f"{_PATH}/{{schedule}}/changes", classify_outdated, shown=show_changes, needs=Permission.CLASSIFY),
    page(f"{_PATH}/{{schedule}}/outdated.csv", export_outdated),
    page(f"{_PATH}/{{schedule}}/codes/{{code}}", show_code),
)
