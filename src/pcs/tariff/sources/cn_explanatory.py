"""Explanatory notes to the Combined Nomenclature, keyed by code. The traps: they explain and do not bind; a code may
have five or seven digits (a group between dashes); each text begins with the words of its heading, of which the record
may name a part only; and the last text of a chapter runs on into the title, and the general part, of the next."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pcs.tariff.code import Code
from pcs.tariff.harmonized_system import section_chapters, section_of
from pcs.tariff.note_meaning import kind_of
from pcs.tariff.notes import Note, NoteFamily, Notes, Paragraph, in_legal_order
from pcs.tariff.references import codes_named, section_number
from pcs.tariff.sources.broken_words import with_whole_words
from pcs.tariff.sources.markup import one_line
from pcs.tariff.sources.problem import SourceError

# Marks of a consolidated text: ►M36 ... ◄. Titles are in capitals, and no sentence of a note begins with two of them.
_AMENDMENT = re.compile("[\u25ba\u25bc][BCM]\\d*|\u25c4")
_NEXT_PART = re.compile(r"\b(SECTION [IVX]{1,5}|CHAPTER \d{1,2})(?= [A-Z]{2})")
_TITLE = re.compile(r"^[^a-z]*(?<=[A-Z)])(?: General\b)?(?= |$)")
_SUB_CHAPTER = re.compile(r" [IVX]{1,5}\. [A-Z][^a-z]{4,300}$")
_HEADING_LEFT = re.compile(r"^[^A-Z.][^.]*?[a-z)\]] (?=[A-Z][a-z]+,? [a-z(0-9])")
_SENTENCE_END = re.compile(r"[.;:)\]]$|\. ")


def is_explanatory(path: Path) -> bool:
    """Whether a file looks like explanatory notes keyed by code."""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        start = file.read(4096)
    return start.lstrip().startswith(b"{") and b'"celex"' in start


def read_explanatory_notes(path: Path) -> Notes:
    """The notes in a code-keyed JSON file (gzip or not). Raises SourceError if it is not one."""
    content = path.read_bytes()
    try:
        data = json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)
        records = data["records"]
        edition = str(data["source"]["documentDate"])
    except (ValueError, KeyError, TypeError, EOFError) as error:
        msg = f"{path.name} does not hold explanatory notes keyed by code: {error!r}."
        raise SourceError(msg) from error
    texts = iter(with_whole_words([str(record[part]) for record in records for part in ("h", "t")]))
    whole = [{**record, "h": next(texts), "t": next(texts)} for record in records]
    notes = [note for number, record in enumerate(whole, 1) for note in _notes(record, number)]
    return Notes(edition, in_legal_order(notes))


def _notes(record: dict[str, Any], number: int) -> Iterator[Note]:
    """The note that a record holds, and the general part of the sections and chapters that its text runs on into."""
    codes = tuple(Code(code) for code in record["c"])
    if not codes or not all(code.isdigit() for code in codes):
        msg = f"Explanatory note {number} names no code."
        raise SourceError(msg)
    text, *following = _NEXT_PART.split(one_line(_AMENDMENT.sub(" ", str(record["t"]))))
    text = _HEADING_LEFT.sub("", text.removeprefix(one_line(str(record["h"]))).strip())
    yield from _said(codes, codes[0].dotted, text)
    for place, general in zip(following[::2], following[1::2], strict=True):
        kind, name = place.split()
        covered = section_chapters(section_number(name)) if kind == "SECTION" else (Code(f"{int(name):02d}"),)
        yield from _said(covered, f"{kind.capitalize()} {name}", _TITLE.sub("", general.strip()))


def _said(codes: tuple[Code, ...], cited: str, text: str) -> Iterator[Note]:
    """A note of these words; none where they are but the words of the heading."""
    words = _SUB_CHAPTER.sub("", text.strip()).strip()
    if codes and _SENTENCE_END.search(words):
        yield _note(codes, cited, words)


def _note(codes: tuple[Code, ...], cited: str, text: str) -> Note:
    kind = kind_of(text)
    named = tuple(code for code in codes_named(text) if code not in codes)
    return Note(
        family=NoteFamily.EXPLANATORY,
        number=cited,
        section=section_of(codes[0][:2]),
        chapter=None if cited.startswith("Section") else codes[0].chapter,
        kind=kind,
        applies_to=codes,
        paragraphs=(Paragraph("", text, kind, codes, named),),
    )
