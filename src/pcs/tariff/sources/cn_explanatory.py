"""Explanatory notes to the Combined Nomenclature, keyed by code. The traps: they explain and do not bind; a code may
have five or seven digits (a group between dashes); each text begins with the words of its heading."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from pcs.tariff.code import Code
from pcs.tariff.harmonized_system import section_of
from pcs.tariff.note_meaning import kind_of
from pcs.tariff.notes import Note, NoteFamily, Notes, Paragraph
from pcs.tariff.references import codes_named
from pcs.tariff.sources.markup import one_line
from pcs.tariff.sources.problem import SourceError


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
    notes = (_note(record, number) for number, record in enumerate(records, 1))
    return Notes(edition, tuple(note for note in notes if note.paragraphs[0].text))


def _note(record: dict[str, Any], number: int) -> Note:
    codes = tuple(Code(code) for code in record["c"])
    if not codes or not all(code.isdigit() for code in codes):
        msg = f"Explanatory note {number} names no code."
        raise SourceError(msg)
    text = one_line(str(record["t"])).removeprefix(one_line(str(record["h"]))).strip()
    kind = kind_of(text)
    named = tuple(code for code in codes_named(text) if code not in codes)
    return Note(
        family=NoteFamily.EXPLANATORY,
        number=codes[0].dotted,
        section=section_of(codes[0][:2]),
        chapter=codes[0].chapter,
        kind=kind,
        applies_to=codes,
        paragraphs=(Paragraph("", text, kind, codes, named),),
    )
