"""Classifications as somebody reads them: the official words of their results in a language, where that is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pcs.classifications.model import Classification
from pcs.schedules.library import Library
from pcs.schedules.worded import worded


def in_language(library: Library, found: Sequence[Classification], language: str) -> list[Classification]:
    """The same with official words in a language. Reading blocks: call it in a thread."""
    return [_worded(library, one, language) for one in found]


def _worded(library: Library, one: Classification, language: str) -> Classification:
    if one.result is None:
        return one
    wording = library.wording(one.schedule, one.result.schedule_revision, language)
    return replace(one, result=worded(one.result, wording))


def reader_language(library: Library, one: Classification, wanted: Sequence[str]) -> str | None:
    """The first of the languages wanted that the official words of a result are loaded in; None without one."""
    return library.reads(one.schedule, one.result.schedule_revision, wanted) if one.result else None
