"""What a look-up shows, as JSON values. The trap: a tool that shows more than the question needs; a look-up answers
what one needs to choose a line under a code, and what a reader was shown already is named."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from pcs.reviewer.law import Law
from pcs.reviewer.outline import in_short, siblings, tree
from pcs.tariff.notes import Note
from pcs.tariff.ruling import Ruling, RulingStatus
from pcs.tariff.schedule import Node

_LONGEST_TEXT = 6_000  # characters of a ruling's letter
_ONLY_SUBJECT = "Only the subject of this ruling is loaded."


def code_shown(law: Law, node: Node, *, known: Container[str] = ()) -> dict[str, Any]:
    """A node with its path, the tree below it, what stands beside it, and the notes that decide; of a line its rate and
    units. `known` are references of notes that the reader has."""
    schedule, duty = law.schedule, law.schedule.duty(node)
    notes = law.deciding(node)
    shown: dict[str, Any] = {
        "schedule": law.name.value,
        "schedule_revision": schedule.revision.name,
        "code": node.code or "",
        "declarable": node.declarable,
        "path": [f"{step.code or '-'} {step.text}" for step in schedule.path(node)],
        "children": [str(entry) for entry in tree(schedule, node)],
        "siblings": [in_short(one) for one in siblings(schedule, node)],
        "notes": [note_shown(note) for note in notes.shown if note.reference not in known],
        "notes_shown_before": [note.reference for note in notes.shown if note.reference in known],
        "other_notes": [note.reference for note in notes.named if note.reference not in known],
    }
    if node.declarable:
        rates = {"general": duty.general, "special": duty.special, "other": duty.other} if duty else None
        shown |= {"duty": rates, "units": list(node.units)}
    return shown


def in_conversation(shown: dict[str, Any]) -> dict[str, Any]:
    """What a look-up shows, for a model that knows which tariff it reads: without that and what is empty."""
    said = {"schedule", "schedule_revision"}
    return {name: value for name, value in shown.items() if name not in said and value not in ([], None)}


def note_shown(note: Note) -> dict[str, str]:
    """A note, whole."""
    return {"reference": note.reference, "text": note.text}


def ruling_shown(ruling: Ruling, *, text: bool = False) -> dict[str, Any]:
    """A ruling, with its letter where that is asked for; a status that nobody knows is left out."""
    shown: dict[str, Any] = {
        "id": ruling.reference,
        "date": ruling.date.isoformat() if ruling.date else None,
        "subject": ruling.subject,
        "codes": list(ruling.codes),
    }
    if ruling.status is not RulingStatus.UNKNOWN:
        shown["status"] = ruling.status.value
    if text:
        return {**shown, **_letter(ruling)}
    return shown if ruling.text or ruling.grounds else {**shown, "only_subject": True}


def _letter(ruling: Ruling) -> dict[str, Any]:
    letter: dict[str, Any] = {
        "source": ruling.source.value,
        "url": ruling.url,
        "valid_to": ruling.valid_to.isoformat() if ruling.valid_to else None,
    }
    if not ruling.text and not ruling.grounds:
        return {**letter, "text": _ONLY_SUBJECT}
    return {**letter, "text": cut(ruling.text, _LONGEST_TEXT), "grounds": cut(ruling.grounds, _LONGEST_TEXT)}


def cut(text: str, most: int) -> str:
    """A text of at most so many characters, and a word that it was longer.

    >>> cut("abcdef", 3), cut("abc", 3)
    ('abc [cut]', 'abc')
    """
    return text if len(text) <= most else f"{text[:most].rstrip()} [cut]"
