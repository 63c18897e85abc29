"""What a note does, read from its words. The trap: a note's subject stands before its verb ("Headings 8501 to 8504 do
not apply to goods of heading 8511"), so what it speaks of and where it sends goods are read from different halves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pcs.tariff.code import Code
from pcs.tariff.harmonized_system import chapters, section_chapters
from pcs.tariff.notes import Note, NoteFamily, NoteKind, Paragraph
from pcs.tariff.references import codes_named

_EXCLUDES = re.compile(
    r"\b(?:do|does|shall)\s+not,?\s+(?:\w+,?\s+)?(?:cover|include|apply|extend)\b|\bis\s+not\s+(?:to\s+be\s+)?classifi|"
    r"\bare\s+not\s+(?:to\s+be\s+)?classifi|\bare\s+excluded\s+from\b|\bis\s+excluded\s+from\b",
    re.IGNORECASE,
)
_DEFINES = re.compile(
    r"\b(?:expressions?|terms?|words?|references?)\b[^.:;]{0,120}[\"“”'\u2018\u2019]|[\"”\u2019]\s*(?:\([^)]{0,200}\)\s*)?means?\b|\bmeans?\b",
    re.IGNORECASE,
)
_DIRECTS = re.compile(
    r"\b(?:is|are|shall|falls?|remains?)\b[^.:;]{0,60}\b(?:classif|regarded|treated|considered|taken)|\bfalls?\s+(?:to\s+be|in)\b|"
    r"\bto\s+be\s+(?:classified|treated|regarded)|\bremains?\s+classified",
    re.IGNORECASE,
)
_INCLUDES = re.compile(r"\b(?:covers?|includes?|appl(?:y|ies)|extends?)\b", re.IGNORECASE)
_TERM = re.compile(r"[\"“”]\s*+([^\"“”]{2,80}?)[\s,]*+[\"“”]")
_THIS = re.compile(r"\bth(?:is|ese)\s+(section|chapter|heading|subheading|note)s?\b", re.IGNORECASE)
_PURPOSE = re.compile(
    r"^(?:subject to[^,]*,\s*)?(?:for (?:the )?purposes? of|within the meaning of|in)\s+([^,:]*(?:,\s*+\d[^,:]*)*)",
    re.IGNORECASE,
)
_STARTS_WITH_PLACE = re.compile(r"(?:(?:sub-?)?headings?|chapters?|sections?|this|these)\b", re.IGNORECASE)
_OPENING = re.compile(r"^.*?(?:[:;]|\.(?=\s|$)|--)", re.DOTALL)

_ORDER = (
    (_EXCLUDES, NoteKind.EXCLUDES),
    (_DEFINES, NoteKind.DEFINES),
    (_DIRECTS, NoteKind.DIRECTS),
    (_INCLUDES, NoteKind.INCLUDES),
)


def understand(
    parts: Sequence[tuple[str, str]], *, family: NoteFamily, number: str, section: int, chapter: Code | None
) -> Note:
    """The note that its parts (label and words) make."""
    printed_at = (chapter,) if chapter else section_chapters(section) or tuple(chapters())
    paragraphs = tuple(_paragraphs(parts, printed_at))
    return Note(
        family=family,
        number=number,
        section=section,
        chapter=chapter,
        kind=next((part.kind for part in paragraphs if part.kind is not NoteKind.OTHER), NoteKind.OTHER),
        applies_to=paragraphs[0].applies_to,
        paragraphs=paragraphs,
        terms=tuple(dict.fromkeys(term for part in paragraphs for term in _terms(part))),
    )


def _paragraphs(parts: Sequence[tuple[str, str]], printed_at: tuple[Code, ...]) -> Iterator[Paragraph]:
    """Each part with what it does and of what it speaks: its own words say so, or those that announce its list."""
    announced: dict[str, Paragraph] = {}
    for label, text in parts:
        above = announced.get(label[: label.rfind("(")]) if label else None
        own = kind_of(text)
        inherited = above.kind if above else NoteKind.OTHER
        kind = inherited if inherited is NoteKind.EXCLUDES or own is NoteKind.OTHER else own
        subject = _subject(text)
        around = above or announced.get("")  # words after a list speak of what the note's opening speaks of
        targets = codes_named(subject) or (around.applies_to if around else printed_at)
        named = codes_named(text.replace(subject, " ", 1) if subject else text)
        announced[label] = Paragraph(label, text, kind, targets, named)
        yield announced[label]


def kind_of(text: str) -> NoteKind:
    """What a passage does, by the first of its sentences that does anything.

    >>> kind_of("This chapter does not cover:").value, kind_of('The term "milk" means full cream milk.').value
    ('excludes', 'defines')
    """
    opening = _OPENING.match(text)
    for passage in (opening[0] if opening else text, text):
        found = [(match.start(), kind) for pattern, kind in _ORDER if (match := pattern.search(passage))]
        if found:
            return _first(found)
    return NoteKind.OTHER


def _first(found: Sequence[tuple[int, NoteKind]]) -> NoteKind:
    """An exclusion or a definition anywhere in the passage decides it; else what comes first."""
    kinds = {kind for _, kind in found}
    for kind in (NoteKind.EXCLUDES, NoteKind.DEFINES):
        if kind in kinds:
            return kind
    return min(found)[1]


def _subject(opening: str) -> str:
    """The words that say of what a note speaks: those before its verb, or after "for the purposes of"."""
    purpose = _PURPOSE.match(opening)
    if purpose and (codes_named(purpose[1]) or _THIS.search(purpose[1])):
        return purpose[1]
    verbs = [found.start() for pattern in (_EXCLUDES, _DIRECTS, _INCLUDES) if (found := pattern.search(opening))]
    subject = opening[: min(verbs)] if verbs else ""
    return subject if _STARTS_WITH_PLACE.match(subject) else ""


def _terms(part: Paragraph) -> list[str]:
    return [found.strip(" ,.;") for found in _TERM.findall(part.text)] if part.kind is NoteKind.DEFINES else []
