from __future__ import annotations

from pathlib import Path

import pytest

from pcs.base.errors import DamagedError
from pcs.schedules.model import NothingToRollBackError, UnknownRevisionError
from pcs.schedules.service import Shelf
from pcs.tariff.checks import IncompleteScheduleError
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Schedule
from whole_schedule import edition

EU = ScheduleName.EU_CN


def promoted(shelf: Shelf, schedule: Schedule) -> str:
    return shelf.promote(EU, shelf.stage(schedule).key).key


def test_nothing_answers_before_a_revision_is_promoted(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    stored = shelf.stage(edition("2025"))
    assert shelf.current(EU) is None
    assert shelf.pointer(EU) is None
    assert shelf.revisions(EU) == [stored]


def test_a_promoted_revision_answers_in_every_process(tmp_path: Path) -> None:
    here, elsewhere = Shelf(tmp_path), Shelf(tmp_path)
    assert elsewhere.pointer(EU) is None
    key = promoted(here, edition("2025"))
    assert elsewhere.pointer(EU) == key
    assert elsewhere.current(EU) == edition("2025")


def test_a_reader_keeps_its_revision_while_another_is_promoted(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    promoted(shelf, edition("2025"))
    mine = shelf.current(EU)
    promoted(shelf, edition("2026"))
    assert mine is not None
    assert mine.revision.edition == "2025"
    now = shelf.current(EU)
    assert now is not None
    assert now.revision.edition == "2026"


def test_rollback_goes_back_step_by_step_and_no_further(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    first = promoted(shelf, edition("2025"))
    promoted(shelf, edition("2026"))
    assert shelf.rollback(EU).key == first
    assert shelf.pointer(EU) == first
    with pytest.raises(NothingToRollBackError):
        shelf.rollback(EU)
    assert shelf.pointer(EU) == first


def test_a_broken_revision_is_refused_and_the_running_one_left_alone(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    key = promoted(shelf, edition("2025"))
    with pytest.raises(IncompleteScheduleError, match="0101"):
        shelf.stage(edition("2026", without="0101"))
    assert shelf.pointer(EU) == key
    assert [stored.revision.edition for stored in shelf.revisions(EU)] == ["2025"]


def test_a_revision_damaged_on_the_disk_is_not_promoted(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    key = promoted(shelf, edition("2025"))
    stored = shelf.stage(edition("2026"))
    rows = tmp_path / "schedules/EU-CN" / stored.key / "rows.json"
    rows.write_bytes(rows.read_bytes().replace(b"Goods of 0101", b"Goods of 0102"))
    with pytest.raises(DamagedError, match="pcs schedules import FILE"):
        shelf.promote(EU, "2026")
    assert shelf.pointer(EU) == key


def test_the_same_content_twice_is_stored_once(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    assert shelf.stage(edition("2025")) == shelf.stage(edition("2025"))
    assert len(shelf.revisions(EU)) == 1


def test_an_edition_imported_again_with_other_words_is_another_revision(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    promoted(shelf, edition("2025"))
    corrected = promoted(shelf, edition("2025", heading_words="Wares of"))
    assert shelf.pointer(EU) == corrected
    assert len(shelf.revisions(EU)) == 2
    assert shelf.open(EU, "2025").nodes[0].text == "Wares of 0101"


def test_an_unknown_edition_is_answered_with_those_there_are(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    key = promoted(shelf, edition("2025"))
    with pytest.raises(UnknownRevisionError, match=key):
        shelf.open(EU, "2031")


def test_a_stage_cut_off_is_never_seen(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.stage(edition("2025"))
    (tmp_path / "schedules/EU-CN/.stage-cut").mkdir()
    (tmp_path / "schedules/EU-CN/.stage-cut/about.json").write_text("{")
    assert [stored.revision.edition for stored in shelf.revisions(EU)] == ["2025"]
