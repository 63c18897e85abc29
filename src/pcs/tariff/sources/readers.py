"""Who reads the notes that a schedule's publisher publishes: one row a schedule. The trap: a file taken for another's;
each reader says by its content what it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pcs.tariff.notes import Notes
from pcs.tariff.revision import ScheduleName
from pcs.tariff.sources.cn_explanatory import is_explanatory, read_explanatory_notes
from pcs.tariff.sources.usitc_notes import read_notes


@dataclass(frozen=True, slots=True)
class NotesReader:
    """Reads notes of a schedule's own publisher: `takes` a file, `reads` files of an edition. `word` is what it calls
    one."""

    schedule: ScheduleName
    word: str
    takes: Callable[[Path], bool]
    reads: Callable[[Sequence[Path], str], Notes]


def _explanatory(files: Sequence[Path], _: str) -> Notes:
    """Each file says its own edition; later files go on where earlier ones end."""
    found = [read_explanatory_notes(file) for file in files]
    return Notes(found[-1].edition, tuple(note for notes in found for note in notes.notes))


NOTES_READERS = (
    NotesReader(ScheduleName.EU_CN, "explanatory note", is_explanatory, _explanatory),
    NotesReader(ScheduleName.US_HTS, "note", lambda _: True, read_notes),
)
"""The first that takes a file reads it."""


def by_reader(files: Sequence[Path]) -> list[tuple[NotesReader, list[Path]]]:
    """The files of each reader, in the readers' order."""
    chosen = {file: next(reader for reader in NOTES_READERS if reader.takes(file)) for file in files}
    found = [(reader, [file for file in files if chosen[file] is reader]) for reader in NOTES_READERS]
    return [(reader, taken) for reader, taken in found if taken]
