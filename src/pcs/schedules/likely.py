"""The prediction sets of a result with their words, for pages that people read. The trap: a revision that is no longer
stored; the one that answers then lends its words."""

from __future__ import annotations

from collections.abc import Sequence

from pcs.base.errors import NotFoundError
from pcs.engine.result import Result
from pcs.schedules.entries import branches_of
from pcs.schedules.library import Library
from pcs.schedules.wording import Wording
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Schedule

LikelySet = tuple[str, list[tuple[Code, str, str]]]
"""A title, and codes with their words and the language of those."""


def likely_sets(
    library: Library, name: ScheduleName, result: Result | None, language: str | None = None
) -> list[LikelySet]:
    """A title for each set that the result has, and its codes with their words, in a language where that is loaded.

    Reading blocks: call it in a thread.
    """
    if result is None:
        return []
    kinds = (("Likely headings", result.likely_headings), ("Likely subheadings", result.likely_subheadings))
    if not any(codes for _, codes in kinds):
        return []
    schedule = _schedule(library, name, result.schedule_revision)
    wording = library.wording(name, schedule.revision.edition, language)
    return [(title, _with_words(schedule, codes, wording)) for title, codes in kinds if codes]


def _schedule(library: Library, name: ScheduleName, edition: str) -> Schedule:
    try:
        return library.schedule(name, edition)
    except NotFoundError:
        return library.schedule(name)


def _with_words(schedule: Schedule, codes: Sequence[Code], wording: Wording | None) -> list[tuple[Code, str, str]]:
    nodes = [node for code in codes if (node := schedule.get(code))]
    told = {each.code: (each.text.rstrip(": "), each.language) for each in branches_of(schedule, nodes, wording)}
    return [(code, *told.get(code, ("", schedule.revision.language))) for code in codes]
