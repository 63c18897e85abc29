"""A result as somebody reads it: its official words in the language that the reader asked for, where they are loaded.

The trap: writing them into the result, which is the record of what was found and never changes; this is made anew
whenever somebody looks. An answer's words are in one language: where a level of its path is not found, all stay."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from pcs.engine.result import Alternative, Level, Result
from pcs.schedules.wording import Wording


@dataclass(frozen=True, slots=True)
class WordedAlternative(Alternative):
    """An alternative whose words are in another language than the answer's."""

    description_language: str = "en"


@dataclass(frozen=True, slots=True)
class WordedResult(Result):
    """A result whose description, hierarchy and alternatives are in a reader's language."""

    words_in: str = "en"

    @property
    def description_language(self) -> str:
        """The language of its official words."""
        return self.words_in


def worded(result: Result, wording: Wording | None) -> Result:
    """A result in the words of another language, as far as that has them; each part in one or the other."""
    if wording is None:
        return result
    own, levels = result.description_language, _levels(result, wording)
    language = own if levels is None else wording.language
    shown = {field.name: getattr(result, field.name) for field in fields(Result)}
    if levels is not None:
        shown |= {"description": wording.description(result.code), "hierarchy": levels}
    shown["alternatives"] = tuple(_alternative(each, wording, own, language) for each in result.alternatives)
    return WordedResult(**shown, words_in=language)


def _levels(result: Result, wording: Wording) -> tuple[Level, ...] | None:
    """The levels of the path to the answer; None where the wording has another path, or none."""
    path = wording.path(result.code)
    if not path or (result.hierarchy and [code for code, _ in path] != [level.code for level in result.hierarchy]):
        return None
    return tuple(replace(level, description=text) for level, (_, text) in zip(result.hierarchy, path, strict=False))


def _alternative(one: Alternative, wording: Wording, own: str, answer: str) -> Alternative:
    description = wording.description(one.code)
    language = own if description is None else wording.language
    told = replace(one, description=description or one.description)
    if language == answer:
        return told
    shown = {field.name: getattr(told, field.name) for field in fields(Alternative)}
    return WordedAlternative(**shown, description_language=language)
