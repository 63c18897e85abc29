"""The notes of the HTS as USITC prints them, from its PDFs or their text. The traps: page furniture is glued to the
first word of the next page, a chapter's file may begin with its section's notes, and the tariff table follows without
a heading."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

from pypdf import PdfReader
from pypdf.errors import PdfReadError

from pcs.tariff.code import Code
from pcs.tariff.harmonized_system import section_of
from pcs.tariff.note_meaning import understand
from pcs.tariff.notes import Note, NoteFamily, Notes, in_legal_order
from pcs.tariff.references import section_number
from pcs.tariff.sources.kinds import wrong_notes
from pcs.tariff.sources.markup import one_line
from pcs.tariff.sources.note_outline import outline
from pcs.tariff.sources.problem import SourceError

_FURNITURE = re.compile(
    r"Harmonized\s+Tariff\s+Schedule\s+of\s+the\s+United\s+States.*?(?:\(\d{4}\)|$)|"
    r"Annotated\s+for\s+Statistical\s+Reporting\s+Purposes",
    re.MULTILINE,
)
# The hyphen of a page number is a control character in some files.
_PAGE = re.compile(
    r"^(?:[IVX]{1,5}$|(?:(?:[IVX]{1,5}|\d{1,2})[-\x02](?:[IVX]+[-\x02])?\d+|GN p\.\d+|GRI-\d+)(?=$|[A-Z]))",
    re.MULTILINE,
)
_FOOTNOTE = re.compile(r"^\d/(?:\s|$)")
_FOOTNOTE_MARK = re.compile(r"(?<=[^\d/\s]) ?\d/(?=[\s;,.]|$)")
_COMPILER = re.compile(
    r"\[compiler['\u2019]s note[^\]]{0,3000}\]", re.IGNORECASE
)  # the publisher's own words, not the law's
_PLACE = re.compile(r"^(SECTION|CHAPTER)\s+([IVX]+|\d{1,2})$")
_FAMILY = re.compile(
    r"^(?:(Additional\s+U\.?S\.?|Subheading|Statistical|U\.S\.)\s+)?Notes?:?\s*(\(con\.?\))?:?$", re.IGNORECASE
)
_FAMILIES = {
    "": NoteFamily.LEGAL,
    "subheading": NoteFamily.SUBHEADING,
    "statistical": NoteFamily.STATISTICAL,
    "additional us": NoteFamily.ADDITIONAL_US,
    "us": NoteFamily.ADDITIONAL_US,
}
_TABLE = ("Rates of Duty", "Article Description")
_RULES = re.compile(r"GENERAL RULES OF INTERPRETATION", re.IGNORECASE)
_ADDITIONAL_RULES = re.compile(r"ADDITIONAL U\.?S\.? RULES OF INTERPRETATION", re.IGNORECASE)


@dataclass(slots=True)
class _Part:
    """The lines of one list of notes."""

    family: NoteFamily
    section: int
    chapter: Code | None
    lines: list[str] = field(default_factory=list)


def read_pdf(path: Path) -> str:
    """The text of a PDF's pages up to its tariff table. Raises SourceError if it is no PDF."""
    try:
        pages = [page.extract_text() for page in PdfReader(path).pages]
    except (OSError, PdfReadError) as error:
        msg = f"{path.name} is not a PDF of the HTS: {error}."
        raise SourceError(msg) from error
    return "\n".join(page for page in pages if not all(words in page for words in _TABLE))


def titles(text: str) -> dict[Code, str]:
    """The titles of chapters as printed, whole: the lines in capitals that follow a chapter's number."""
    found: dict[Code, str] = {}
    for part in _parts(_lines(text)):
        words = " ".join(takewhile(str.isupper, part.lines))
        if part.chapter and words:
            found.setdefault(part.chapter, words)
    return found


def parse(text: str) -> list[Note]:
    """The notes in the text of a section, a chapter or the General Rules of Interpretation."""
    found: dict[tuple[NoteFamily, int, Code | None, str], Note] = {}
    for part in _parts(_lines(text)):
        for note in outline(part.lines):
            key = (part.family, part.section, part.chapter, note.number)
            words = [(each.label, each.text) for each in note.parts if each.text or each.label]
            if words and key not in found:
                found[key] = understand(
                    words, family=part.family, number=note.number, section=part.section, chapter=part.chapter
                )
    return list(found.values())


def read_notes(paths: Iterable[Path], edition: str) -> Notes:
    """All notes in PDFs, text files, and JSON files of texts (gzip or not), each note once."""
    paths = list(paths)
    notes: dict[str, Note] = {}
    titled: dict[Code, str] = {}
    for path in paths:
        for text in _texts(path):
            titled = titles(text) | titled
            for note in parse(text):
                notes.setdefault(note.reference, note)
    if not notes:
        raise SourceError(" ".join(wrong_notes(path, _content(path)) for path in paths))
    return Notes(edition, in_legal_order(notes.values()), titled)


def _texts(path: Path) -> Iterator[str]:
    content = _content(path)
    if content.startswith(b"%PDF"):
        yield read_pdf(path)
        return
    try:
        text = content.decode()
        yield from _strings(json.loads(text)) if text.lstrip().startswith("{") else [text]
    except ValueError as error:
        raise SourceError(wrong_notes(path, content)) from error


def _content(path: Path) -> bytes:
    content = path.read_bytes()
    try:
        return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    except (OSError, EOFError, zlib.error) as error:
        msg = f"{path.name} cannot be read: {error}."
        raise SourceError(msg) from error


def _strings(value: object) -> Iterator[str]:
    """Every text in a JSON value of any shape."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner)


def _lines(text: str) -> Iterator[str]:
    """The lines without what belongs to the page."""
    text = _PAGE.sub("\n", _FURNITURE.sub("\n", _COMPILER.sub(" ", text).replace("\f", "\n")))
    for line in map(one_line, text.splitlines()):
        if line and not _FOOTNOTE.match(line):
            yield _FOOTNOTE_MARK.sub("", line)


def _parts(lines: Iterable[str]) -> list[_Part]:
    """The lists of notes, each with its place; a list goes on after the tail of a page."""
    parts: list[_Part] = []
    section, chapter = 0, None
    for line in lines:
        place, family = _PLACE.match(line), _FAMILY.match(line)
        if place:
            section, chapter = _place(place)
            parts.append(_Part(NoteFamily.LEGAL, section, chapter))
        elif _RULES.fullmatch(line) or _ADDITIONAL_RULES.fullmatch(line):
            rules = NoteFamily.GENERAL_RULE if _RULES.fullmatch(line) else NoteFamily.ADDITIONAL_RULE
            parts.append(_Part(rules, 0, None))
        elif family and parts:
            named = _FAMILIES[(family[1] or "").lower().replace(".", "")]
            if not family[2]:  # a page that goes on may name the wrong list
                parts.append(_Part(named, section, chapter))
        elif parts:
            parts[-1].lines.append(line)
    return parts


def _place(found: re.Match[str]) -> tuple[int, Code | None]:
    if found[1] == "SECTION":
        return section_number(found[2]), None
    chapter = Code(f"{int(found[2]):02d}")
    return section_of(chapter), chapter
