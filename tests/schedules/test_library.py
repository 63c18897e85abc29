"""One library a process: each revision is read once, whoever asks."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import pcs
from builders import ServiceUnderTest
from pcs.dashboard.app import create_dashboard
from pcs.reviewer.law import LawOf
from pcs.schedules import store
from pcs.schedules.library import Library
from pcs.schedules.service import Revisions
from pcs.schedules.stored_notes import StoredNotes
from pcs.tariff.code import Code
from pcs.tariff.notes import Notes
from pcs.tariff.packing import assemble
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import PublishedRow
from whole_schedule import edition

EU, US = ScheduleName.EU_CN, ScheduleName.US_HTS
_read: Counter[str] = Counter()


def _hear(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and str(arguments[0]).endswith("rows.json"):
        _read[str(arguments[0])] += 1


sys.addaudithook(_hear)


async def test_the_api_the_dashboard_and_assistants_read_each_revision_once(running: ServiceUnderTest) -> None:
    service = running.service
    revisions = Revisions(service.settings.data_dir)
    for name in ("2025-once", "2026-once"):
        revisions.stage(edition(name))
    _read.clear()
    create_dashboard(service)
    for path in (
        "schedules/EU-CN/codes/6109?revision=2025-once",
        "schedules/EU-CN/codes/6109?revision=2026-once",
        "schedules/EU-CN/outdated?from=2025-once&to=2026-once",
    ):
        assert (await running.live.get(f"/api/v1/{path}")).status_code == 200
    library = service.library
    assert library.search(EU, "line 61091000", "2026-once")
    assert library.chapters(EU, "2025-once")[0].name == "2025-once"
    assert library.look_up(EU, Code("6109"), "2026-once").revision.name == "2026-once"
    assert sorted(_read.values()) == [1, 1]


def test_who_makes_a_library() -> None:
    folder = Path(pcs.__file__).parent
    made = {
        path.relative_to(folder).parts[0]
        for path in folder.rglob("*.py")
        if re.search(r"(?<![\w.])(Library|Revisions|StoredNotes|SharedRulings)\(", path.read_text("utf-8"))
    }
    assert made == {"bootstrap.py", "bulk", "cli", "schedules", "worker"}  # revisions and catalogues: own processes


def test_the_engine_and_the_reviewer_look_at_the_very_same_revision(tmp_path: Path) -> None:
    library = Library(tmp_path)
    revisions = Revisions(tmp_path)
    law_of = LawOf(library)
    starter = law_of(EU)
    assert starter.schedule is library.schedule(EU)
    assert law_of(EU) is starter
    revisions.promote(EU, revisions.stage(edition("2025")).key)
    assert law_of(EU).schedule is library.schedule(EU)
    assert law_of(EU).schedule.revision.name == "2025"


def test_no_more_revisions_are_kept_open_than_are_in_use(tmp_path: Path) -> None:
    library, revisions = Library(tmp_path), Revisions(tmp_path)
    keys = [revisions.stage(edition(f"20{number}")).key for number in range(10, 16)]
    first = library.schedule(EU, keys[0])
    for key in keys[1:4]:
        library.schedule(EU, key)
        assert library.schedule(EU, keys[0]) is first  # what is asked for again and again stays
    for key in keys[2:]:
        library.schedule(EU, key)
    assert library.schedule(EU, keys[0]) is not first


def test_a_chapter_without_a_row_of_its_own_has_the_title_that_is_printed_with_the_notes(tmp_path: Path) -> None:
    library = Library(tmp_path)
    rows = [
        PublishedRow(Code("95"), 0, "Toys", implied=True),
        PublishedRow(Code("9503"), 1, "Tricycles", declarable=True),
    ]
    schedule = assemble(US, "2026-rev-1", rows)
    StoredNotes(tmp_path).store(
        US, Notes("test", (), {Code("95"): "TOYS, GAMES AND SPORTS EQUIPMENT", Code("9503"): "no"})
    )
    StoredNotes(tmp_path).store(US, Notes("later", (), {Code("94"): "FURNITURE"}))
    store.write_pointer(tmp_path, US, [store.write_revision(tmp_path, schedule).key])  # staging takes no two rows
    assert library.look_up(US, Code("9503")).path[0].text == "TOYS, GAMES AND SPORTS EQUIPMENT"
    assert library.look_up(US, Code("9503")).node.text == "Tricycles"
    assert library.schedule(US).revision == schedule.revision
