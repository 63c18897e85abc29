"""Notes in the data folder: notes/<schedule>.json for each schedule. The trap: the notes of the Harmonized System bind
in every country but are published by each, so a schedule without its own is answered with those of another."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from pcs.base.errors import DamagedError
from pcs.base.stored_files import read_stored, write_stored
from pcs.schedules.borrowing import international
from pcs.tariff.note_packing import pack_notes, unpack_notes
from pcs.tariff.notes import Note, NoteFamily, Notes, in_legal_order
from pcs.tariff.revision import ScheduleName


class StoredNotes:
    """The notes in a data folder. Reads a file once for each state of it."""

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / "notes"

    def pointer(self, name: ScheduleName) -> str:
        """Changes whenever the notes of a schedule do."""
        return "|".join(_state(self._path(each)) for each in _sources(name))

    def notes(self, name: ScheduleName) -> Notes | None:
        """What binds and explains under a schedule; None where no notes were imported. Raises DamagedError.

        The international notes come from the schedule's own file, or else from any other's in the nomenclature's words.
        """
        own = self.own(name)
        others = [notes for each in _sources(name) if each is not name and (notes := self._borrowed(each))]
        first = own or next(iter(others), None)
        if first is None:
            return None
        known = {note.reference for note in own.notes} if own else set()
        borrowed = [note for notes in others for note in notes.notes if note.reference not in known]
        return Notes(first.edition, in_legal_order([*(own.notes if own else ()), *borrowed]), own.titles if own else {})

    def store(self, name: ScheduleName, notes: Notes) -> tuple[Notes, int]:
        """Keep notes; answers what is stored then, and how many earlier notes made room.

        Those of a chapter or section that has some already take the place of the same family's. Notes that are damaged
        make room, uncounted, for the new ones.
        """
        try:
            own = self.own(name)
        except DamagedError:
            own = None
        replaced = {_place(note) for note in notes.notes}
        earlier = own.notes if own else ()
        kept = [note for note in earlier if _place(note) not in replaced]
        titles = {**(own.titles if own else {}), **notes.titles}
        merged = Notes(notes.edition, in_legal_order([*kept, *notes.notes]), titles)
        write_stored(self._path(name), pack_notes(merged))
        return merged, len(earlier) - len(kept)

    def own(self, name: ScheduleName) -> Notes | None:
        """The notes that a schedule's own publisher gave; None where none were imported. Raises DamagedError."""
        path = self._path(name)
        return _read(path, _state(path)) if path.exists() else None

    def _borrowed(self, name: ScheduleName) -> Notes | None:
        """Another schedule's international notes; that they are damaged is said where they belong."""
        path = self._path(name)
        try:
            return _read_international(path, _state(path)) if path.exists() else None
        except DamagedError:
            return None

    def _path(self, name: ScheduleName) -> Path:
        return self._folder / f"{name.value}.json"


@lru_cache(maxsize=4)
def _read(path: Path, _state_of_file: str) -> Notes:
    mend = "import them again with `pcs schedules notes FILES`"
    return read_stored(path, unpack_notes, what=f"The file of the notes of {path.stem}", mend=mend)


@lru_cache(maxsize=4)
def _read_international(path: Path, state: str) -> Notes:
    return international(_read(path, state))


def _state(path: Path) -> str:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return ""
    return f"{stat.st_mtime_ns}-{stat.st_ino}-{stat.st_size}"


def _sources(name: ScheduleName) -> Iterable[ScheduleName]:
    return (name, *(other for other in ScheduleName if other is not name))


def _place(note: Note) -> tuple[NoteFamily, int, str]:
    own_place = note.applies_to[0] if note.family is NoteFamily.EXPLANATORY else note.chapter or ""
    return (note.family, note.section, own_place)
