"""Candidates side by side: what their words have that the others' have not, their duty, notes and rulings.

The trap: long provisions that are the same but for three words; those are marked, and only those."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pcs.base.errors import NotFoundError
from pcs.engine.result import CitedRuling, Result
from pcs.schedules.entries import CodeEntry
from pcs.schedules.library import Library
from pcs.tariff.code import Code
from pcs.tariff.notes import Note
from pcs.tariff.revision import ScheduleName

_WORD = re.compile(r"(\W+)")

Marked = tuple[str, bool]
"""A piece of text, and whether only this candidate has it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One column: the levels of the path below the chapter, each with its words marked; what separates it from the
    answer (empty for the answer itself), its general duty, notes and rulings."""

    code: Code
    levels: Sequence[tuple[Code | None, Sequence[Marked]]]
    separated_by: str
    confidence: float | None
    duty: str
    notes: Sequence[Note]
    rulings: Sequence[CitedRuling]


def compared(library: Library, name: ScheduleName, codes: Sequence[Code], result: Result) -> list[Candidate]:
    """A column a code, those that the loaded revision lacks left out. Blocks: call it in a thread."""
    found = {code: entry for code in codes if (entry := _entry(library, name, code))}
    words = {
        code: {word.casefold() for node in entry.path for word in _WORD.split(node.text)}
        for code, entry in found.items()
    }
    common = set.intersection(*words.values()) if len(words) > 1 else set().union(*words.values())
    everywhere = set.intersection(*(set(entry.notes) for entry in found.values())) if len(found) > 1 else set[Note]()
    return [_candidate(code, entry, common, everywhere, result) for code, entry in found.items()]


def _entry(library: Library, name: ScheduleName, code: Code) -> CodeEntry | None:
    try:
        return library.look_up(name, code)
    except NotFoundError:
        return None


def _candidate(code: Code, entry: CodeEntry, common: set[str], everywhere: set[Note], result: Result) -> Candidate:
    other = next((each for each in result.alternatives if each.code == code), None)
    return Candidate(
        code=code,
        levels=[(node.code, _marked(node.text, common)) for node in entry.path[1:]],
        separated_by=other.separated_by if other else "",
        confidence=other.confidence if other else result.confidence if code == result.code else None,
        duty=entry.duty.general if entry.duty else "",
        notes=[note for note in entry.notes if note not in everywhere],
        rulings=[each for each in result.rulings if any(cited.heading == code.heading for cited in each.codes)],
    )


def _marked(text: str, common: set[str]) -> list[Marked]:
    """A text in pieces, neighbours of one kind together."""
    pieces = list[Marked]()
    for part in _WORD.split(text):
        own = bool(part.strip()) and part.casefold() not in common and part[0].isalnum()
        if pieces and pieces[-1][1] == own:
            pieces[-1] = (pieces[-1][0] + part, own)
        else:
            pieces.append((part, own))
    return pieces
