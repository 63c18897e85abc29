"""What the organization has decided: listed with its standing, taken in from a file, forgotten.

The trap: a list that hides what does not count; a code that is gone, and a contradiction, stand beside what holds."""

from __future__ import annotations

import asyncio
import re
from io import BytesIO

from starlette.responses import Response

from pcs.base.errors import InvalidRequestError, Violation
from pcs.base.paging import Page, Slice
from pcs.base.plurals import counted
from pcs.base.text import shortened
from pcs.dashboard.once import go_and_show, left_here
from pcs.dashboard.visit import Visit, action, page
from pcs.decisions import service as decisions
from pcs.decisions.files import DecisionTable, read_decisions
from pcs.decisions.importing import Import
from pcs.decisions.model import KeptDecision
from pcs.decisions.standing import standing
from pcs.decisions.store import Filters
from pcs.engine.decided import Standing
from pcs.organizations import audit
from pcs.organizations.people import Action, Permission
from pcs.spreadsheets.model import Limits, SpreadsheetError
from pcs.tariff.revision import ScheduleName

_PATH = "/dashboard/{environment:environment}/decisions"
_LIMITS = Limits(bytes=5 * 1024 * 1024, rows=50_000, unpacked=64 * 1024 * 1024)
_A_PAGE = 50
_BEGINNING = re.compile(r"[0-9]{0,10}")
_PROBLEMS = 20
_LONGEST_PROBLEM = 300  # characters
_ONE_AT_A_TIME = asyncio.Semaphore(1)
"""A workbook of fifty thousand rows takes seconds of a core."""


async def show(visit: Visit) -> Response:
    """A page of decisions, and once what became of a file."""
    async with visit.service.database.begin() as transaction:
        made = await left_here(visit, transaction)
        found = await decisions.list_page(transaction, visit.tenant, _filters(visit), _slice(visit))
    standings = await asyncio.to_thread(_standings, visit, found)
    return visit.render(
        "decisions.html",
        found=list(zip(found.items, standings, strict=True)),
        following=found.next_after,
        asked={name: visit.asked(name) for name in ("code", "identifier", "schedule", "contradicted")},
        schedules=list(ScheduleName),
        said=made.get("said"),
        problems=made.get("problems", "").splitlines(),
        most=_LIMITS.rows,
        in_force=Standing.IN_FORCE,
    )


def _filters(visit: Visit) -> Filters:
    """What is searched for. Raises InvalidRequestError: what was written is no code."""
    code, schedule = visit.asked("code").replace(".", "").replace(" ", ""), visit.asked("schedule")
    if not _BEGINNING.fullmatch(code):
        raise InvalidRequestError(Violation("code", "must be a code or its first digits, such as 6109.10"))
    chosen = ScheduleName(schedule) if schedule in set(ScheduleName) else None
    identifier = visit.asked("identifier") or None
    return Filters(chosen, code, identifier, contradicted=visit.asked("contradicted") == "yes")


def _slice(visit: Visit) -> Slice:
    return Slice(_A_PAGE, visit.asked("after") or None)


def _standings(visit: Visit, found: Page[KeptDecision]) -> list[Standing]:
    return [standing(visit.service.library, one) for one in found.items]


async def take_in(visit: Visit) -> Response:
    """Keep the decisions of a file, row by row; what is wrong with the others is told. Raises InvalidRequestError."""
    chosen = visit.file("file")
    if chosen is None:
        raise InvalidRequestError(Violation("file", "is needed"))
    async with _ONE_AT_A_TIME:
        content = await chosen.read()
        try:
            table = await asyncio.to_thread(_table, visit, content, (chosen.filename or "").lower())
            found = await _kept(visit, Import(table, visit.service.library, by=visit.member.id))
        except SpreadsheetError as error:
            raise InvalidRequestError(Violation("file", str(error))) from None
    problems = found.problems[:_PROBLEMS]
    if (more := len(found.problems) - _PROBLEMS) > 0:
        problems += [f"and {counted(more, 'more row')}"]
    async with visit.service.database.begin() as transaction:
        await audit.record(transaction, visit.actor, Action.DECISIONS_KEPT, detail=found.detail, now=visit.now)
        told = "\n".join(shortened(" ".join(each.split()), _LONGEST_PROBLEM) for each in problems)
        return await go_and_show(visit, transaction, "/decisions", said=_said(found), problems=told)


def _table(visit: Visit, content: bytes, name: str) -> DecisionTable:
    said = visit.text("schedule")
    otherwise = ScheduleName(said) if said in set(ScheduleName) else None
    return read_decisions(
        BytesIO(content), _LIMITS, otherwise=otherwise, json_lines=name.endswith((".jsonl", ".ndjson"))
    )


async def _kept(visit: Visit, found: Import) -> Import:
    while part := await asyncio.to_thread(found.next_part):
        async with visit.service.database.begin() as transaction:
            found.kept(await decisions.remember(transaction, visit.tenant, part, now=visit.now))
    return found


def _said(found: Import) -> str:
    counts = found.counts
    told = f"{counts['added']:,} added, {counts['changed']:,} changed, {counts['left_out']:,} left out."
    gone = counted(counts["not_in_force"], "has", "have")
    lacks = f" {gone} a code that the loaded revision lacks: kept, and without effect."
    return told + lacks * bool(counts["not_in_force"])


async def forget(visit: Visit) -> Response:
    """Forget a decision: from now on it counts for nothing. Raises NotFoundError."""
    decision_id = visit.request.path_params["decision_id"]
    async with visit.service.database.begin() as transaction:
        await decisions.remove(transaction, visit.tenant, decision_id)
        await audit.record(transaction, visit.actor, Action.DECISION_FORGOTTEN, subject=decision_id, now=visit.now)
    return visit.go("/decisions", done="decision_forgotten")


ROUTES = (
    page(_PATH, show),
    action(_PATH, take_in, shown=show, needs=Permission.REVIEW),
    action(f"{_PATH}/{{decision_id}}/forget", forget, shown=show, needs=Permission.REVIEW),
)
