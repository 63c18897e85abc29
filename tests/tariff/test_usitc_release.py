from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest

from pcs.base.publisher import HttpPublisher, RequestPolicy
from pcs.tariff.harmonized_system import chapters
from pcs.tariff.sources.problem import SourceError
from pcs.tariff.sources.usitc_release import current_release, fetch_note_file, fetch_schedule, note_files
from usitc_server import UsitcServer


def row(code: str, indent: int) -> dict[str, Any]:
    return {"htsno": code, "indent": str(indent), "description": f"Goods of {code}", "units": []}


@pytest.fixture
def usitc() -> Iterator[UsitcServer]:
    rows = [each for chapter in chapters() for each in (row(f"{chapter}01", 0), row(f"{chapter}01.10.00.00", 1))]
    server = UsitcServer(rows)
    yield server
    server.close()


@pytest.fixture
def asked(usitc: UsitcServer) -> Iterator[HttpPublisher]:
    with HttpPublisher(usitc.address, RequestPolicy(pause=0, first_wait=0)) as publisher:
        yield publisher


def test_the_current_release_is_found_with_its_edition_and_day(asked: HttpPublisher) -> None:
    release = current_release(asked)
    assert (release.edition, release.published) == ("2026-rev-10", dt.date(2026, 6, 8))


def test_the_schedule_is_read_in_one_answer_or_chapter_by_chapter(usitc: UsitcServer, asked: HttpPublisher) -> None:
    at_once = fetch_schedule(asked)
    usitc.refuse_wide = True
    heard: list[tuple[int, int]] = []
    by_chapter = fetch_schedule(asked, lambda done, total: heard.append((done, total)))
    assert by_chapter == at_once
    assert len(at_once.lines) == len(chapters()) - 2
    assert heard[-1] == (98, 98)


def test_a_chapter_answered_with_a_page_ends_the_fetch(usitc: UsitcServer, asked: HttpPublisher) -> None:
    usitc.refuse_wide, usitc.broken = True, "42"
    with pytest.raises(SourceError, match="answered chapter 42 with a page"):
        fetch_schedule(asked)


def test_a_chapter_without_rows_ends_the_fetch(usitc: UsitcServer, asked: HttpPublisher) -> None:
    usitc.refuse_wide = True
    usitc.rows = [each for each in usitc.rows if not each["htsno"].startswith("42")]
    with pytest.raises(SourceError, match="answered chapter 42 with no rows"):
        fetch_schedule(asked)


def test_a_release_that_changes_while_it_is_read_is_not_kept(usitc: UsitcServer, asked: HttpPublisher) -> None:
    usitc.releases = ["2026HTSRev10", "2026HTSRev11"]
    with pytest.raises(SourceError, match="changed its release while 2026-rev-10 was read"):
        fetch_schedule(asked)


def test_a_file_that_does_not_exist_is_answered_with_nothing(usitc: UsitcServer, asked: HttpPublisher) -> None:
    usitc.files["Chapter 95"] = b"%PDF-1.7 notes"
    assert fetch_note_file(asked, "Chapter 95") == b"%PDF-1.7 notes"
    assert fetch_note_file(asked, "Chapter 77") is None


def test_every_file_of_notes_has_its_name() -> None:
    names = list(note_files())
    assert len(names) == 1 + 21 + 96
    assert names[1] == "Section 1"
    assert names[-1] == "Chapter 97"
