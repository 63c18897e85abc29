"""Files of the data folder that a disk changed: named with what mends them, and all the rest goes on."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from pcs.base.errors import DamagedError
from pcs.base.stored_files import read_stored, write_stored
from pcs.rulings.mending import mend
from pcs.rulings.service import KeptRulings, RulingCorpus
from pcs.schedules.damage import damages
from pcs.schedules.library import Library
from pcs.schedules.methods import Methods
from pcs.schedules.service import Revisions
from pcs.schedules.stored_notes import StoredNotes
from pcs.tariff.code import Code
from pcs.tariff.notes import Note, NoteFamily, NoteKind, Notes, Paragraph
from pcs.tariff.revision import ScheduleName
from pcs.tariff.ruling import Ruling, RulingSource
from whole_schedule import edition

EU, US = ScheduleName.EU_CN, ScheduleName.US_HTS


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def flip(path: Path, place: float = 0.5) -> None:
    content = bytearray(path.read_bytes())
    content[int(len(content) * place)] ^= 4
    path.write_bytes(bytes(content))


HARMS = [cut, empty, flip]


def stored(folder: Path) -> dict[str, Path]:
    """A data folder with a schedule, its notes and rulings; each kind of file by what it is."""
    revisions = Revisions(folder)
    key = revisions.promote(EU, revisions.stage(edition("2025")).key).key
    toys = (Code("95"),)
    part = Paragraph("", "This chapter does not cover bags of heading 4202.", NoteKind.EXCLUDES, toys, (Code("4202"),))
    StoredNotes(folder).store(EU, Notes("test", (Note(NoteFamily.LEGAL, "1", 20, toys[0], part.kind, toys, (part,)),)))
    with closing(RulingCorpus(folder)) as corpus:
        corpus.add(ruling(number) for number in range(500))
    revision = folder / "schedules/EU-CN" / key
    return {
        "rows": revision / "rows.json",
        "about": revision / "about.json",
        "pointer": folder / "schedules/EU-CN/current.json",
        "notes": folder / "notes/EU-CN.json",
    }


def ruling(number: int) -> Ruling:
    words = f"A toy number {number}, of wood, as a child of three pushes it over a carpet"
    return Ruling(f"DEBTI{number:04d}/26-1", RulingSource.EBTI, None, words, text=words * 5, codes=(Code("95030000"),))


@pytest.mark.parametrize("kind", ["rows", "about", "pointer", "notes"])
@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_file_is_named_with_what_mends_it_and_the_other_schedule_answers(
    tmp_path: Path, kind: str, harm: Callable[[Path], None]
) -> None:
    file = stored(tmp_path)[kind]
    harm(file)
    methods = Methods(Library(tmp_path), cache_dir=Path(os.environ["PCS_CACHE_DIR"]))
    with pytest.raises(DamagedError, match=f"{file.name}.*`pcs schedules ") as raised:
        methods.current(EU)
    assert methods.current(US).name is US
    assert damages(tmp_path) == {"EU-CN": str(raised.value)}


@pytest.mark.parametrize("kind", ["rows", "about", "pointer", "notes"])
def test_whatever_bit_is_flipped_it_is_noticed(tmp_path: Path, kind: str) -> None:
    file = stored(tmp_path)[kind]
    content = file.read_bytes()
    chosen = random.Random(7)
    for _ in range(25):
        changed = bytearray(content)
        changed[chosen.randrange(len(content))] ^= 1 << chosen.randrange(8)
        file.write_bytes(bytes(changed))
        assert "EU-CN" in damages(tmp_path)
    file.write_bytes(content)
    assert damages(tmp_path) == {}


@pytest.mark.parametrize("kind", ["rows", "about", "pointer", "notes"])
def test_what_the_sentence_says_mends_it_while_the_service_runs(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pcs.schedules.methods._LOOK_AGAIN_SECONDS", 0.0)
    cut(stored(tmp_path)[kind])
    methods, revisions = Methods(Library(tmp_path), cache_dir=Path(os.environ["PCS_CACHE_DIR"])), Revisions(tmp_path)
    with pytest.raises(DamagedError):
        methods.current(EU)
    if kind == "notes":
        StoredNotes(tmp_path).store(EU, Notes("test", ()))
    elif kind == "pointer":
        revisions.promote(EU, "2025")
    else:
        revisions.promote(EU, revisions.stage(edition("2025")).key)
    assert methods.current(EU).schedule.revision.edition == "2025"
    assert damages(tmp_path) == {}


def test_what_was_stored_before_digests_were_is_still_opened(tmp_path: Path) -> None:
    files = stored(tmp_path)
    for kind in ("about", "pointer", "notes"):
        first, _, rest = files[kind].read_bytes().partition(b"\n")
        assert first.startswith(b"sha256 ")
        files[kind].write_bytes(rest)
        json.loads(rest)
    database = tmp_path / "rulings/rulings.sqlite"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("ALTER TABLE rulings DROP COLUMN checked")
    assert (
        Methods(Library(tmp_path), cache_dir=Path(os.environ["PCS_CACHE_DIR"])).current(EU).schedule.revision.edition
        == "2025"
    )
    assert damages(tmp_path) == {}
    with closing(RulingCorpus(tmp_path)) as corpus:
        assert len(list(corpus.scan())) == 500
        corpus.add([ruling(501)])
        assert corpus.get("DEBTI0501/26-1") == ruling(501)


def test_a_missing_revision_that_is_said_to_answer_is_named(tmp_path: Path) -> None:
    stored(tmp_path)["about"].unlink()
    with pytest.raises(DamagedError, match="pcs schedules import"):
        Methods(Library(tmp_path), cache_dir=Path(os.environ["PCS_CACHE_DIR"])).current(EU)


def test_a_damaged_old_revision_stops_nobody(tmp_path: Path) -> None:
    old = stored(tmp_path)["about"]
    revisions = Revisions(tmp_path)
    revisions.promote(EU, revisions.stage(edition("2026")).key)
    cut(old)
    assert damages(tmp_path) == {}
    assert [each.revision.edition for each in revisions.stored(EU)] == ["2026"]
    assert (
        Methods(Library(tmp_path), cache_dir=Path(os.environ["PCS_CACHE_DIR"])).current(EU).schedule.revision.edition
        == "2026"
    )


def test_another_schedule_s_damaged_notes_stop_nobody(tmp_path: Path) -> None:
    cut(stored(tmp_path)["notes"])
    assert StoredNotes(tmp_path).notes(US) is None


def test_a_changed_row_of_the_corpus_is_noticed_and_answers_go_on_without_rulings(tmp_path: Path) -> None:
    stored(tmp_path)
    database = tmp_path / "rulings/rulings.sqlite"
    content = database.read_bytes()
    assert content.count(b"A toy number 7, of wood") == 1
    database.write_bytes(content.replace(b"A toy number 7, of wood", b"A toy number 7, of food"))
    with closing(RulingCorpus(tmp_path)) as corpus:
        assert corpus.get("DEBTI0008/26-1") == ruling(8)
        with pytest.raises(DamagedError, match="pcs rulings mend"):
            corpus.get("DEBTI0007/26-1")
    methods = Methods(Library(tmp_path), cache_dir=Path(os.environ["PCS_CACHE_DIR"]))
    assert methods.current(EU).precedents.rulings == ()
    assert list(damages(tmp_path)) == ["rulings"]
    mended = mend(tmp_path)
    assert (mended.kept, mended.damaged.exists()) == (499, True)
    assert damages(tmp_path) == {}
    assert len(methods.current(EU).precedents.rulings) == 499


@pytest.mark.parametrize("harm", HARMS)
def test_a_broken_corpus_is_named_and_mended_with_what_can_be_read(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    stored(tmp_path)
    harm(tmp_path / "rulings/rulings.sqlite")
    rulings = KeptRulings(tmp_path)
    before = rulings.state()
    found = rulings.of([RulingSource.EBTI])
    if not found:
        assert list(damages(tmp_path)) == ["rulings"]
    kept = mend(tmp_path).kept
    assert kept == 0 if harm is empty else 100 < kept <= 500
    assert rulings.state() != before
    assert len(rulings.of([RulingSource.EBTI])) == kept
    assert damages(tmp_path) == {}


def test_a_file_is_stored_in_one_step_and_read_back_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "file"
    for content in (b"", b"one", b"sha256 two\n", bytes(range(256))):
        write_stored(file, content)
        assert read_stored(file, bytes, what="It", mend="do") == content
        assert [each.name for each in file.parent.iterdir()] == ["file"]
    with pytest.raises(FileNotFoundError):
        read_stored(tmp_path / "none", bytes, what="It", mend="do")
