"""What was in force on a day: by the revisions' own dates, and never by one that was passed over."""

import dataclasses
import datetime as dt
from pathlib import Path

import pytest

from builders import ServiceUnderTest
from dashboard.visitor import Office
from pcs.base.errors import NotFoundError
from pcs.base.settings import Settings
from pcs.schedules.library import Library
from pcs.schedules.service import Revisions
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Schedule
from whole_schedule import edition

EU = ScheduleName.EU_CN
TODAY = dt.date(2026, 11, 23)
LINE = "61099999"


def dated(name: str, since: str | None, words: str = "Goods of") -> Schedule:
    schedule = edition(name, heading_words=words)
    day = dt.date.fromisoformat(since) if since else None
    return dataclasses.replace(schedule, revision=dataclasses.replace(schedule.revision, in_force_from=day))


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    """With schedules of its own, which no other test sees."""
    return dataclasses.replace(settings, data_dir=tmp_path / "own")


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """One revision each for January and May, the second promoted; one passed over, and one still to come."""
    revisions = Revisions(tmp_path)
    for schedule in (dated("2026-01", "2026-01-01"), dated("2026-05", "2026-05-01", "Goods under")):
        revisions.stage(schedule)
    revisions.promote(EU, "2026-05")
    revisions.stage(dated("2026-09", "2026-09-01", "Passed over:"))
    revisions.stage(dated("2027-01", "2027-01-01", "To come:"))
    return Library(tmp_path)


@pytest.mark.parametrize(
    ("day", "name"),
    [
        ("2026-01-01", "2026-01"),
        ("2026-04-30", "2026-01"),
        ("2026-05-01", "2026-05"),
        ("2026-10-01", "2026-05"),
        ("2026-11-23", "2026-05"),
        ("2027-01-01", "2027-01"),
    ],
)
def test_the_revision_of_a_day_is_the_latest_that_had_begun(library: Library, day: str, name: str) -> None:
    key = library.key_on(EU, dt.date.fromisoformat(day), TODAY)
    assert library.schedule(EU, key).revision.name == name


def test_a_day_that_no_revision_covers_is_told_with_what_is_loaded(library: Library) -> None:
    with pytest.raises(
        NotFoundError, match="in force on 31 December 2025: the earliest is 2026-01, from 1 January 2026"
    ):
        library.key_on(EU, dt.date(2025, 12, 31), TODAY)


def test_without_a_day_what_was_promoted_answers_and_the_starter_schedule_for_any_day(
    library: Library, tmp_path: Path
) -> None:
    assert library.key_on(EU, None, TODAY) == library.current_key(EU)
    assert Library(tmp_path / "nothing").key_on(EU, dt.date(1999, 1, 1), TODAY) is None


def test_a_revision_whose_file_gave_no_day_is_taken_from_the_first_of_its_year(tmp_path: Path) -> None:
    revisions = Revisions(tmp_path)
    revisions.stage(dated("2026-05", None))
    revisions.promote(EU, "2026-05")
    library = Library(tmp_path)
    assert library.key_on(EU, dt.date(2026, 1, 1), TODAY) == library.current_key(EU)
    with pytest.raises(NotFoundError):
        library.key_on(EU, dt.date(2025, 12, 31), TODAY)


async def test_a_code_is_shown_as_it_was_on_a_day(running: ServiceUnderTest) -> None:
    revisions = Revisions(running.service.settings.data_dir)
    for schedule in (dated("2025-01", "2025-01-01"), dated("2025-05", "2025-05-01", "Goods under")):
        revisions.stage(schedule)
    revisions.promote(EU, "2025-05")
    path = f"/api/v1/schedules/EU-CN/codes/{LINE}"
    found = [(await running.live.get(f"{path}?on={day}")).json() for day in ("2025-02-03", "2025-06-07")]
    assert [each["schedule_revision"] for each in found] == ["2025-01", "2025-05"]
    assert [each["path"][0]["text"] for each in found] == ["Goods of 6109", "Goods under 6109"]
    for query, status, told in (
        ("on=2024-12-31", 404, "the earliest is 2025-01"),
        ("on=yesterday", 400, "must be a date such as 2026-01-31"),
    ):
        refused = await running.live.get(f"{path}?{query}")
        assert refused.status_code == status
        assert told in refused.text
    named = (await running.live.get(f"{path}?on=2025-02-03&revision=2025-05")).json()
    assert named["schedule_revision"] == "2025-05"


async def test_the_page_of_a_code_shows_a_day_and_says_what_is_no_day(running: ServiceUnderTest) -> None:
    revisions = Revisions(running.service.settings.data_dir)
    for schedule in (dated("2025-01", "2025-01-01"), dated("2025-05", "2025-05-01", "Goods under")):
        revisions.stage(schedule)
    revisions.promote(EU, "2025-05")
    office = Office(running)
    visitor = await office.signed_in()
    await visitor.open(f"/dashboard/live/schedules/EU-CN/codes/{LINE}?on=2025-02-03")
    assert "Revision 2025-01" in visitor.text
    page = await visitor.open(f"/dashboard/live/schedules/EU-CN/codes/{LINE}?on=31.12.2025")
    assert page.status_code == 404
    assert "The day of entry must be a date such as 2026-01-31." in visitor.text
    await office.close()
