"""The prediction sets of a result with their words, for pages that people read. The trap: a revision that is no longer
stored; the one that answers then lends its words."""

from __future__ import annotations

from collections.abc import Sequence

from pcs.base.errors import NotFoundError
from pcs.engine.result import Result
from pcs.schedules.library import Library
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Schedule

LikelySet = tuple[str, list[tuple[Code, str]]]


def likely_sets(library: Library, name: ScheduleName, result: Result | None) -> list[LikelySet]:
    """A title for each set that the result has, and its codes with their words. Reading blocks: call it in a thread."""
    if result is None:
        return []
    kinds = (("Likely headings", result.likely_headings), ("Likely subheadings", result.likely_subheadings))
    if not any(codes for _, codes in kinds):
        return []
    schedule = _schedule(library, name, result.schedule_revision)
    return [(title, _with_words(schedule, codes)) for title, codes in kinds if codes]


def _schedule(library: Library, name: ScheduleName, edition: str) -> Schedule:
    try:
        return library.schedule(name, edition)
    except NotFoundError:
        return library.schedule(name)


def _with_words(schedule: Schedule, codes: Sequence[Code]) -> list[tuple[Code, str]]:
    nodes = [(code, schedule.get(code)) for code in codes]
    return [(code, node.text.rstrip(": ") if node else "") for code, node in nodes]
