from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pcs.schedules.stored_notes import StoredNotes
from pcs.tariff.code import Code
from pcs.tariff.note_meaning import understand
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


def test_international_notes_serve_the_other_schedule_in_the_nomenclature_s_words(tmp_path: Path) -> None:
    text = 'Throughout the tariff schedule the expression "colored fibers" means those of subheading 5402.11.00.'
    named = understand([("", text)], family=NoteFamily.SUBHEADING, number="1", section=11, chapter=Code("54"))
    narrow = replace(named, applies_to=(Code("54021100"),))
    StoredNotes(tmp_path).store(US, Notes("2025", (narrow,)))
    own, borrowed = (StoredNotes(tmp_path).notes(name) for name in (US, EU))
    assert own is not None
    assert borrowed is not None
    assert own.notes == (narrow,)
    [found] = borrowed.notes
    assert (
        found.text == 'Throughout the nomenclature the expression "coloured fibres" means those of subheading 5402.11.'
    )
    assert found.terms == ("coloured fibres",)
    assert found.applies_to == (Code("540211"),)
    assert borrowed.concerning("54021190") == (found,)


def test_a_schedule_s_own_notes_are_in_its_publisher_s_words(tmp_path: Path) -> None:
    stored_notes = StoredNotes(tmp_path)
    for name, text in ((US, "Fibers of the tariff schedule"), (EU, "Fibers of the tariff schedule, as the EU says")):
        stored_notes.store(name, Notes("2025", (note("1", "54", text=text),)))
    found = stored_notes.notes(EU)
    assert found is not None
    assert [each.text for each in found.notes] == ["Fibers of the tariff schedule, as the EU says"]


def test_a_chapter_read_again_replaces_its_notes_and_no_others(tmp_path: Path) -> None:
    stored_notes = StoredNotes(tmp_path)
    stored_notes.store(US, Notes("2025", (note("1", "94"), note("1", "95"), note("2", "95"))))
    before = stored_notes.pointer(US)
    now, replaced = stored_notes.store(US, Notes("2026", (note("1", "95", text="This chapter also covers"),)))
    assert (len(now.notes), replaced) == (2, 2)
    assert references(stored_notes, US) == ["Note 1 to Chapter 94", "Note 1 to Chapter 95"]
    assert stored_notes.pointer(US) != before
    stored = stored_notes.notes(US)
    assert stored is not None
    assert stored.edition == "2026"
    assert stored.concerning("9503")[0].text == "This chapter also covers"
