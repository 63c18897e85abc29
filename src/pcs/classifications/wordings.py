"""Classifications as somebody reads them: the official words of their results, and of what was decided, in a language,
where that is loaded. What is stored stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from pcs.classifications.model import Classification, Final
from pcs.schedules.library import Library
from pcs.schedules.worded import worded
from pcs.tariff.revision import ScheduleName


@dataclass(frozen=True, slots=True)
class WordedFinal(Final):
    """What goods are declared under, in a reader's language."""

    words_in: str = "en"

    @property
    def description_language(self) -> str:
        """The language of its official words."""
        return self.words_in


def in_language(library: Library, found: Sequence[Classification], language: str) -> list[Classification]:
    """The same with official words in a language. Reading blocks: call it in a thread."""
    return [_worded(library, one, language) for one in found]


def reader_language(library: Library, one: Classification, wanted: Sequence[str]) -> str | None:
    """The first of the languages wanted that the official words of a result are loaded in; None without one."""
    return library.reads(one.schedule, one.result.schedule_revision, wanted) if one.result else None


def _worded(library: Library, one: Classification, language: str) -> Classification:
    result, final = one.result, one.final
    if result is not None:
        result = worded(result, library.wording(one.schedule, result.schedule_revision, language))
    return replace(one, result=result, final=final and _final(library, one.schedule, final, language))


def _final(library: Library, name: ScheduleName, final: Final, language: str) -> Final:
    wording = library.wording(name, final.revision, language)
    description = wording.description(final.code) if wording else None
    if description is None:
        return final
    kept = {field.name: getattr(final, field.name) for field in fields(Final)}
    return WordedFinal(**{**kept, "description": description}, words_in=language)
