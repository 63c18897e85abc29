"""Notes as JSON and back. The trap: a field added later must not make stored notes unreadable, so fields are named."""

from __future__ import annotations

import json
from typing import Any

from pcs.tariff.code import Code
from pcs.tariff.notes import Note, NoteFamily, NoteKind, Notes, Paragraph


def pack_notes(notes: Notes) -> bytes:
    """Notes as UTF-8 JSON."""
    content = {"edition": notes.edition, "titles": notes.titles, "notes": [_note(note) for note in notes.notes]}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def unpack_notes(packed: bytes) -> Notes:
    """The notes that were packed."""
    content = json.loads(packed)
    titles = {Code(code): str(title) for code, title in content.get("titles", {}).items()}
    return Notes(content["edition"], tuple(_read(note) for note in content["notes"]), titles)


def _note(note: Note) -> dict[str, Any]:
    return {
        "family": note.family.value,
        "number": note.number,
        "section": note.section,
        "chapter": note.chapter,
        "kind": note.kind.value,
        "applies_to": note.applies_to,
        "terms": note.terms,
        "paragraphs": [
            [part.label, part.text, part.kind.value, part.applies_to, part.codes] for part in note.paragraphs
        ],
    }


def _read(note: dict[str, Any]) -> Note:
    return Note(
        family=_family(note),
        number=note["number"],
        section=note["section"],
        chapter=Code(note["chapter"]) if note["chapter"] else None,
        kind=NoteKind(note["kind"]),
        applies_to=_codes(note["applies_to"]),
        paragraphs=tuple(
            Paragraph(label, text, NoteKind(kind), _codes(applies_to), _codes(codes))
            for label, text, kind, applies_to, codes in note["paragraphs"]
        ),
        terms=tuple(note["terms"]),
    )


def _family(note: dict[str, Any]) -> NoteFamily:
    """Whose note it is; notes that were stored before had the US rules of interpretation among the notes."""
    family = NoteFamily(note["family"])
    is_rule = family is NoteFamily.ADDITIONAL_US and note["section"] == 0
    return NoteFamily.ADDITIONAL_RULE if is_rule else family


def _codes(codes: list[str]) -> tuple[Code, ...]:
    return tuple(map(Code, codes))
