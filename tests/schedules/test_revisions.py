from __future__ import annotations

from pathlib import Path

import pytest

from pcs.base.errors import DamagedError
from pcs.schedules.model import NothingToRollBackError, UnknownRevisionError
from pcs.schedules.service import Revisions
from pcs.tariff.checks import IncompleteScheduleError
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Schedule
from whole_schedule import edition

EU = ScheduleName.EU_CN


def promoted(revisions: Revisions, schedule: Schedule) -> str:
    return revisions.promote(EU, revisions.stage(schedule).key).key


def test_nothing_answers_before_a_revision_is_promoted(tmp_path: Path) -> None:
    revisions = Revisions(tmp_path)
    stored = revisions.stage(edition("2025"))
    assert revisions.current(EU) is None
    assert revisions.pointer(EU) is None
    assert revisions.stored(EU) == [stored]


def test_a_promoted_revision_answers_in_every_process(tmp_path: Path) -> None:
    here, elsewhere = Revisions(tmp_path), Revisions(tmp_path)
    assert elsewhere.pointer(EU) is None
    key = promoted(here, edition("2025"))
    assert elsewhere.pointer(EU) == key
    assert elsewhere.current(EU) == edition("2025")


def test_a_reader_keeps_its_revision_while_another_is_promoted(tmp_path: Path) -> None:
    revisions = Revisions(tmp_path)
    promoted(revisions, edition("2025"))
    mine = revisions.current(EU)
    promoted(revisions, edition("2026"))
    assert mine is not None
    assert mine.revision.edition == "2025"
    now = revisions.current(EU)
    assert now is not None
    assert now.revision.edition == "2026"


def test_rollback_goes_back_step_by_step_and_no_further(tmp_path: Path) -> None:
    revisions = Revisions(tmp_path)
    first = promoted(revisions, edition("2025"))
    promoted(revisions, edition("2026"))
    assert revisions.rollback(EU).key == first
    assert revisions.pointer(EU) == first
    with pytest.raises(NothingToRollBackError):
        revisions.rollback(EU)
    assert revisions.pointer(EU) == first


def test_a_broken_revision_is_refused_and_the_running_one_left_alone(tmp_path: Path) -> None:
    revisions = Revisions(tmp_path)
    key = promoted(revisions, edition("2025"))
    with pytest.raises(IncompleteScheduleError, match="0101"):
        revisions.stage(edition("2026", without="0101"))
    assert revisions.pointer(EU) == key
    assert [stored.revision.edition for stored in revisions.stored(EU)] == ["2025"]


def test_a_revision_damaged_on_the_disk_is_not_promoted(tmp_path: Path) -> None:
    revisions = Revisions(tmp_path)
    key = promoted(revisions, edition("2025"))
    stored = revisions.stage(edition("2026"))
    rows = tmp_path / "schedules/EU-CN" / stored.key / "rows.json"
    rows.write_bytes(rows.read_bytes().replace(b"Goods of 0101", b"Goods of 0102"))
    with pytest.raises(DamagedError, match="pcs schedules import FILE"):
        revisions.promote(EU, "2026")
    assert revisions.pointer(EU) == key


def test_the_same_content_twice_is_stored_once(tmp_path: Path) -> None:
    revisions = Revisions(tmp_path)
    assert revisions.stage(edition("2025")) == revisions.stage(edition("2025"))
    assert len(revisions.stored(EU)) == 1


def test_an_edition_imported_again_with_other_words_is_another_revision(tmp_path: Path) -> None:
    revisions = Revisions(tmp_path)
    promoted(revisions, edition("2025"))
    corrected = promoted(revisions, edition("2025", heading_words="Wares of"))
    assert revisions.pointer(EU) == corrected
    assert len(revisions.stored(EU)) == 2
    assert revisions.open(EU, "2025").nodes[0].text == "Wares of 0101"


def test_an_unknown_edition_is_answered_with_those_there_are(tmp_path: Path) -> None:
    revisions = Revisions(tmp_path)
    key = promoted(revisions, edition("2025"))
    with pytest.raises(UnknownRevisionError, match=key):
        revisions.open(EU, "2031")


def test_a_stage_cut_off_is_never_seen(tmp_path: Path) -> None:
    revisions = Revisions(tmp_path)
    revisions.stage(edition("2025"))
    (tmp_path / "schedules/EU-CN/.stage-cut").mkdir()
    (tmp_path / "schedules/EU-CN/.stage-cut/about.json").write_text("{")
    assert [stored.revision.edition for stored in revisions.stored(EU)] == ["2025"]
