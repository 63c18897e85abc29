"""The current HTS from USITC's own service. The traps: it serves the current release only, whatever is asked for; a
wide range may be answered with HTTP 400 (then chapter by chapter); a release may change while it is read; a wrong file
name is answered with 200 and nothing."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pcs.base.publisher import Publisher, PublisherError, PublisherResponse
from pcs.tariff.harmonized_system import chapters
from pcs.tariff.schedule import Schedule
from pcs.tariff.sources.problem import SourceError
from pcs.tariff.sources.usitc_hts import edition_of, to_schedule

ADDRESS = "https://hts.usitc.gov/reststop"
_SECTIONS = 22

Report = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Release:
    """A release of the HTS: the publisher's name for it, ours, and the day it was published."""

    name: str
    edition: str
    published: dt.date | None


def current_release(publisher: Publisher) -> Release:
    """The release that is served now. Raises SourceError and PublisherError."""
    releases = _list(publisher.get("/releaseList"), "the list of releases")
    current = [release for release in releases if str(release.get("status")).lower() == "current"]
    if len(current) != 1:
        msg = f"USITC's list of releases names {len(current)} current ones instead of one."
        raise SourceError(msg)
    name = str(current[0].get("name") or "")
    edition = edition_of(name) or edition_of(str(current[0].get("title") or ""))
    if edition is None:
        msg = f"USITC's current release is named {name!r}: that is not an edition."
        raise SourceError(msg)
    return Release(name, edition, _american_date(current[0].get("releaseStartDate")))


def fetch_schedule(publisher: Publisher, report: Report = lambda _done, _total: None) -> Schedule:
    """The current schedule, whole. Raises SourceError and PublisherError."""
    release = current_release(publisher)
    records = _all_at_once(publisher) or _by_chapter(publisher, report)
    if current_release(publisher) != release:
        msg = f"USITC changed its release while {release.edition} was read. Fetch again."
        raise SourceError(msg)
    return to_schedule(records, release.edition, in_force_from=release.published)


def note_files() -> Iterator[str]:
    """The names of the files that hold notes: the General Rules, each section, each chapter."""
    yield "General Rules of Interpretation"
    yield from (f"Section {number}" for number in range(1, _SECTIONS))
    yield from (f"Chapter {int(chapter)}" for chapter in chapters() if chapter < "98")


def fetch_note_file(publisher: Publisher, name: str) -> bytes | None:
    """The PDF of that name, None where USITC has none."""
    answer = publisher.get("/file", {"release": "currentRelease", "filename": name})
    return answer.content if answer.content.startswith(b"%PDF") else None


def _all_at_once(publisher: Publisher) -> list[dict[str, Any]]:
    """Every row in one answer; none where the service refuses so wide a range."""
    try:
        return _list(publisher.get("/exportList", _range("0101", "9999")), "the whole schedule")
    except (PublisherError, SourceError):
        return []


def _by_chapter(publisher: Publisher, report: Report) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = []
    for number, chapter in enumerate(chapters(), 1):
        answer = publisher.get("/exportList", _range(f"{chapter}00", f"{chapter}99"))
        rows = _list(answer, f"chapter {chapter}")
        strange = next((row for row in rows if row.get("htsno") and not str(row["htsno"]).startswith(chapter)), None)
        if not rows or strange:
            what = f"row {strange['htsno']}" if strange else "no rows"
            msg = f"USITC answered chapter {chapter} with {what}."
            raise SourceError(msg)
        records += rows
        report(number, len(chapters()))
    return records


def _range(first: str, last: str) -> dict[str, str | int]:
    return {"from": first, "to": last, "format": "JSON", "styles": "false"}


def _list(answer: PublisherResponse, asked: str) -> list[dict[str, Any]]:
    try:
        data = json.loads(answer.text)
    except ValueError as error:
        what = "nothing" if not answer.content.strip() else "a page" if "<html" in answer.text.lower() else "no JSON"
        msg = f"USITC answered {asked} with {what} (HTTP {answer.status})."
        raise SourceError(msg) from error
    if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
        msg = f"USITC answered {asked} with something else than a list."
        raise SourceError(msg)
    return data


def _american_date(value: object) -> dt.date | None:
    try:
        return dt.datetime.strptime(str(value), "%m/%d/%Y").replace(tzinfo=dt.UTC).date()
    except ValueError:
        return None
