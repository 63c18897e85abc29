"""The notes of the Harmonized System as one country prints them, in the words of the nomenclature itself.

The trap: under another country's schedule "the tariff schedule" is none, "man-made fibers" defines no word of its
lines, and a number with two zeros of that country's own names no place of it."""

from __future__ import annotations

import re
from dataclasses import replace

from pcs.tariff.code import Code
from pcs.tariff.notes import Note, NoteFamily, Notes, Paragraph

_INTERNATIONAL = frozenset({NoteFamily.GENERAL_RULE, NoteFamily.LEGAL, NoteFamily.SUBHEADING})
_OWN_ZEROS = re.compile(r"\b(\d{4}\.\d\d)\.00\b")
_SPELLED = {
    "fiber": "fibre",
    "aluminum": "aluminium",
    "color": "colour",
    "sulfur": "sulphur",
    "jewelry": "jewellery",
    "center": "centre",
    "mold": "mould",
    "flavored": "flavoured",
    "homogenized": "homogenised",
    "rubberized": "rubberised",
    "vulcanized": "vulcanised",
}
_AMERICAN = re.compile("|".join(_SPELLED), re.IGNORECASE)
_THE_SCHEDULE = re.compile(r"\bthe (?:tariff )?schedule\b")
_SUBHEADING = len("610910")


def international(notes: Notes) -> Notes:
    """Of a country's notes those that bind in every country, worded as the nomenclature words them."""
    return Notes(notes.edition, tuple(_reworded(note) for note in notes.notes if note.family in _INTERNATIONAL))


def _reworded(note: Note) -> Note:
    return replace(
        note,
        applies_to=_codes(note.applies_to),
        paragraphs=tuple(_paragraph(part) for part in note.paragraphs),
        terms=tuple(map(_worded, note.terms)),
    )


def _paragraph(part: Paragraph) -> Paragraph:
    return replace(part, text=_worded(part.text), applies_to=_codes(part.applies_to), codes=_codes(part.codes))


def _codes(codes: tuple[Code, ...]) -> tuple[Code, ...]:
    return tuple(Code(code[:_SUBHEADING]) for code in codes)


def _worded(text: str) -> str:
    """A text in the nomenclature's words.

    >>> _worded("Throughout the tariff schedule, colored fibers of subheading 2620.21.00")
    'Throughout the nomenclature, coloured fibres of subheading 2620.21'
    """
    spelled = _AMERICAN.sub(_spelled, text)
    return _OWN_ZEROS.sub(r"\1", _THE_SCHEDULE.sub("the nomenclature", spelled))


def _spelled(found: re.Match[str]) -> str:
    word = _SPELLED[found[0].lower()]
    return word.capitalize() if found[0][0].isupper() else word
