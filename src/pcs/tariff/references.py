"""Which parts of the tariff a legal text names. The traps: one word "heading" governs a whole list ("heading 4202,
4303 or 4304"), lists hold ranges, sections are named in Roman numerals, and a note named by its place ("note 2 to
section XV") names no goods of that place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pcs.tariff.code import Code
from pcs.tariff.harmonized_system import headings, section_chapters

_NOTE_PLACE = re.compile(
    r"\bnotes?\s+\d+[A-Z]?(?:\s*\(\w+\))*(?:(?:,|\s+(?:and|or|to))\s+\d+[A-Z]?(?:\s*\(\w+\))*)*"
    r"\s+(?:to|of)\s+(?:this\s+)?(?:sub)?(?:section|chapter|heading)s?(?:\s+(?:\d+|[IVX]+))?",
    re.IGNORECASE,
)
_UNIT = r"(?:\d{4}(?:\.\d{2}){1,3}|\d{4}|\d{1,2}|[IVX]{1,8})"
_LINK = r"\s*+(?:,\s*+(?:and|or|to)?|;\s*+(?:and|or)?|\band\b|\bor\b|\bto\b|\bthrough\b)\s*+"
_LIST = re.compile(
    rf"\b(sub-?headings?|headings?|chapters?|sections?)\s+({_UNIT}(?:{_LINK}{_UNIT}(?![\w.]*\d))*)\b", re.IGNORECASE
)
_ITEM = re.compile(rf"(?:(\bto\b|\bthrough\b)\s*+)?({_UNIT})\b")
_BARE_SUBHEADING = re.compile(r"\b\d{4}\.\d{2}(?:\.\d{2}){0,2}\b")
_BARE_HEADING = re.compile(r"\bof\s+(\d{4})(?:\s+or\s+(\d{4}))?\b(?!\.)")
_ROMAN = {"I": 1, "V": 5, "X": 10}


class _Found(NamedTuple):
    place: int
    codes: tuple[Code, ...]


def codes_named(text: str) -> tuple[Code, ...]:
    """The chapters, headings and subheadings that a text names, in order, each once; a section stands for its chapters.

    >>> codes_named("Sports bags of heading 4202, 4303 or 4304; sails of chapter 63")
    ('4202', '4303', '4304', '63')
    >>> codes_named("Parts of general use, as defined in note 2 to section XV, of plastics (chapter 39)")
    ('39',)
    >>> codes_named("stones of headings 7102 to 7104, lubricants of 2710 or 3403, consoles of subheading 9504.50")
    ('7102', '7103', '7104', '2710', '3403', '950450')
    """
    text = _NOTE_PLACE.sub(lambda found: " " * len(found[0]), text)
    found = sorted([*_lists(text), *_bare(text)])
    return tuple(dict.fromkeys(code for _, codes in found for code in codes))


def _lists(text: str) -> Iterator[_Found]:
    for found in _LIST.finditer(text):
        kind = found[1].lower().replace("-", "").rstrip("s")
        last: Code | None = None
        for item in _ITEM.finditer(found[2]):
            codes = _read(kind, item[2])
            if item[1] and last and codes:
                codes = _range(last, codes[0])
            if codes:
                last = codes[-1]
                yield _Found(found.start(2) + item.start(2), codes)


def _bare(text: str) -> Iterator[_Found]:
    """Codes written without the word that says what they are."""
    for found in _BARE_SUBHEADING.finditer(text):
        yield _Found(found.start(), _read("subheading", found[0]))
    for found in _BARE_HEADING.finditer(text):
        for group in (1, 2):
            if found[group]:
                yield _Found(found.start(group), _read("heading", found[group]))


def _read(kind: str, text: str) -> tuple[Code, ...]:
    """What an item of a list means under the word that governs it; nothing where it cannot be that."""
    digits = text.replace(".", "")
    if kind == "section":
        return section_chapters(section_number(text)) if set(text) <= set(_ROMAN) else ()
    if not digits.isdigit():
        return ()
    if kind == "chapter":
        return (Code(f"{int(digits):02d}"),) if len(digits) <= 2 and 1 <= int(digits) <= 99 else ()
    if "." in text:
        return (Code(digits),)
    return (Code(digits),) if len(digits) == 4 and Code(digits) in set(headings()) else ()


def _range(first: Code, last: Code) -> tuple[Code, ...]:
    """The codes from one to another of the same kind; a range of subheadings is kept by its ends."""
    if len(first) != len(last) or first > last:
        return (last,)
    if len(first) == 2:
        return tuple(Code(f"{number:02d}") for number in range(int(first) + 1, int(last) + 1))
    if len(first) == 4:
        return tuple(heading for heading in headings() if first < heading <= last)
    return (last,)


def section_number(roman: str) -> int:
    """The number of a section written in Roman numerals.

    >>> section_number("XIV")
    14
    """
    values = [_ROMAN[letter] for letter in roman]
    return sum(-value if values[place + 1 : place + 2] > [value] else value for place, value in enumerate(values))
