"""Section, chapter and subheading notes: what they exclude, include, define or direct. The trap: a note says where it
applies ("for the purposes of heading 9508") and where it sends goods, and the two must not be confused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from pcs.tariff.code import Code


class NoteFamily(StrEnum):
    """Whose notes they are: those of the Harmonized System bind everywhere, the others one country."""

    GENERAL_RULE = "general rule of interpretation"
    ADDITIONAL_RULE = "additional U.S. rule of interpretation"
    LEGAL = "note"
    SUBHEADING = "subheading note"
    ADDITIONAL_US = "additional U.S. note"
    STATISTICAL = "statistical note"
    EXPLANATORY = "explanatory note"


RULES = frozenset({NoteFamily.GENERAL_RULE, NoteFamily.ADDITIONAL_RULE})
"""They say how every classification is made, and so they belong to no code."""

_CITED = {
    NoteFamily.GENERAL_RULE: "General Rule of Interpretation",
    NoteFamily.ADDITIONAL_RULE: "Additional U.S. Rule of Interpretation",
    NoteFamily.LEGAL: "Note",
    NoteFamily.SUBHEADING: "Subheading Note",
    NoteFamily.ADDITIONAL_US: "Additional U.S. Note",
    NoteFamily.STATISTICAL: "Statistical Note",
    NoteFamily.EXPLANATORY: "Explanatory Note",
}


class NoteKind(StrEnum):
    """What a note does."""

    EXCLUDES = "excludes"
    INCLUDES = "includes"
    DEFINES = "defines"
    DIRECTS = "directs"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A lettered part of a note, or its opening (label ""). `label` is its whole place, such as "(a)(ii)".

    `applies_to` are the codes whose goods it speaks of, `codes` the chapters, headings and subheadings that it names
    beside them; an exclusion sends its goods there.
    """

    label: str
    text: str
    kind: NoteKind
    applies_to: tuple[Code, ...]
    codes: tuple[Code, ...] = ()

    @property
    def own_label(self) -> str:
        """The last letter of its place.

        >>> Paragraph("(a)(ii)", "of cotton", NoteKind.OTHER, ()).own_label
        '(ii)'
        """
        return self.label[self.label.rfind("(") :] if self.label else ""


@dataclass(frozen=True, slots=True)
class Note:
    """One numbered note.

    `section` is the number of its section, `chapter` the chapter it belongs to (None for a section's own note).
    `applies_to` are the codes whose goods it speaks of, `terms` the expressions it defines.
    """

    family: NoteFamily
    number: str
    section: int
    chapter: Code | None
    kind: NoteKind
    applies_to: tuple[Code, ...]
    paragraphs: tuple[Paragraph, ...]
    terms: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The whole note, a line a paragraph."""
        return "\n".join(f"{part.own_label} {part.text}".lstrip() for part in self.paragraphs)

    @property
    def codes(self) -> tuple[Code, ...]:
        """Every code that it names, in order."""
        return tuple(dict.fromkeys(code for part in self.paragraphs for code in part.codes))

    @property
    def reference(self) -> str:
        """How a lawyer cites it, such as "Note 1 to Chapter 95"; an explanatory note by the code that it explains."""
        if self.family in RULES:
            return f"{_CITED[self.family]} {self.number}"
        if self.family is NoteFamily.EXPLANATORY:
            return f"{_CITED[self.family]} to {self.number}"
        place = f"Chapter {int(self.chapter)}" if self.chapter else f"Section {roman(self.section)}"
        return f"{_CITED[self.family]} {self.number} to {place}"

    def concerns(self, code: str) -> bool:
        """Whether it speaks of goods of a code, or of a code above or below it."""
        return any(code.startswith(target) or target.startswith(code) for target in self.targets)

    @property
    def targets(self) -> tuple[Code, ...]:
        """Every code of whose goods it speaks, as a whole or in a part."""
        return tuple(dict.fromkeys([*self.applies_to, *(code for part in self.paragraphs for code in part.applies_to)]))


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Goods that a note takes out of `excluded_from` and sends to `goes_to` (empty where they go by their material)."""

    reference: str
    excluded_from: tuple[Code, ...]
    text: str
    goes_to: tuple[Code, ...]


@dataclass(frozen=True)
class Notes:
    """All notes of one edition, in legal order, and the titles of chapters where they are printed with them."""

    edition: str
    notes: tuple[Note, ...]
    titles: Mapping[Code, str] = field(default_factory=dict)

    @cached_property
    def _by_chapter(self) -> dict[str, list[Note]]:
        found: dict[str, list[Note]] = {}
        for note in self.notes:
            for chapter in dict.fromkeys(target[:2] for target in note.targets):
                found.setdefault(chapter, []).append(note)
        return found

    def concerning(self, code: str) -> tuple[Note, ...]:
        """The notes that speak of goods of a code, in legal order; the rules of interpretation speak of all goods."""
        found = self._by_chapter.get(code[:2], ())
        return tuple(note for note in found if note.family not in RULES and note.concerns(code))

    def of(self, place: str) -> tuple[Note, ...]:
        """The notes printed at a chapter ("95") or a section ("XVI")."""
        if place.isdigit():
            return tuple(note for note in self.notes if note.chapter == place)
        return tuple(note for note in self.notes if note.chapter is None and roman(note.section) == place)

    def exclusions(self, code: str) -> tuple[Exclusion, ...]:
        """What notes take out of a code, and where it goes instead."""
        found = (exclusion for note in self.concerning(code) for exclusion in exclusions_of(note))
        return tuple(each for each in found if any(code.startswith(place) for place in each.excluded_from))


def exclusions_of(note: Note) -> Iterator[Exclusion]:
    """The goods that a note excludes, a paragraph each."""
    for part in note.paragraphs:
        opens_list = part.label == "" and part.text.endswith((":", "--", "-"))
        if part.kind is NoteKind.EXCLUDES and not opens_list:
            place = note.reference.replace(f" {note.number} to", f" {note.number}{part.label} to", 1)
            yield Exclusion(place, part.applies_to, part.text, part.codes)


def in_legal_order(notes: Iterable[Note]) -> tuple[Note, ...]:
    """General rules, then each section: its own notes, then its chapters', each family in turn."""
    families = list(NoteFamily)

    def place(note: Note) -> tuple[int, int, int]:
        return (note.section, int(note.chapter or 0), families.index(note.family))

    return tuple(sorted(notes, key=place))


def roman(number: int) -> str:
    """A number below 40 in Roman numerals.

    >>> roman(16), roman(9), roman(21)
    ('XVI', 'IX', 'XXI')
    """
    ones = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
    return "X" * (number // 10) + ones[number % 10]
