from __future__ import annotations

from pathlib import Path

from pcs.schedules.stored_notes import StoredNotes
from pcs.tariff.code import Code
from pcs.tariff.notes import Note, NoteFamily, NoteKind, Notes, Paragraph
from pcs.tariff.revision import ScheduleName

US, EU = ScheduleName.US_HTS, ScheduleName.EU_CN


def note(
    number: str, chapter: str, *, family: NoteFamily = NoteFamily.LEGAL, text: str = "This chapter covers"
) -> Note:
    codes = (Code(chapter),)
    return Note(
        family, number, 20, codes[0], NoteKind.INCLUDES, codes, (Paragraph("", text, NoteKind.INCLUDES, codes),)
    )


def references(stored_notes: StoredNotes, name: ScheduleName) -> list[str]:
    notes = stored_notes.notes(name)
    return [each.reference for each in notes.notes] if notes else []


def test_no_notes_before_any_are_stored(tmp_path: Path) -> None:
    assert StoredNotes(tmp_path).notes(US) is None


def test_the_international_notes_serve_the_other_schedule_too(tmp_path: Path) -> None:
    stored_notes = StoredNotes(tmp_path)
    stored_notes.store(US, Notes("2025", (note("1", "95"), note("1", "95", family=NoteFamily.ADDITIONAL_US))))
    assert references(stored_notes, US) == ["Note 1 to Chapter 95", "Additional U.S. Note 1 to Chapter 95"]
    assert references(stored_notes, EU) == ["Note 1 to Chapter 95"]


def test_a_chapter_read_again_replaces_its_notes_and_no_others(tmp_path: Path) -> None:
    stored_notes = StoredNotes(tmp_path)
    stored_notes.store(US, Notes("2025", (note("1", "94"), note("1", "95"), note("2", "95"))))
    before = stored_notes.pointer(US)
    stored_notes.store(US, Notes("2026", (note("1", "95", text="This chapter also covers"),)))
    assert references(stored_notes, US) == ["Note 1 to Chapter 94", "Note 1 to Chapter 95"]
    assert stored_notes.pointer(US) != before
    stored = stored_notes.notes(US)
    assert stored is not None
    assert stored.edition == "2026"
    assert stored.concerning("9503")[0].text == "This chapter also covers"
