from __future__ import annotations

from typing import Any

from builders import ServiceUnderTest
from pcs.organizations.model import Scope
from pcs.schedules.service import Revisions
from pcs.schedules.store import write_revision
from pcs.schedules.stored_notes import StoredNotes
from pcs.tariff.code import Code
from pcs.tariff.notes import Note, NoteFamily, NoteKind, Notes, Paragraph
from pcs.tariff.revision import ScheduleName
from pcs.tariff.sources.usitc_hts import to_schedule
from whole_schedule import edition

EU = ScheduleName.EU_CN
SHIRTS: list[dict[str, Any]] = [
    {"htsno": "6109", "indent": "0", "description": "T-shirts"},
    {
        "htsno": "6109.10.00",
        "indent": "1",
        "description": "Of cotton",
        "special": "Free (AU,S)",
        "footnotes": [{"columns": ["general"], "value": "See 9903.88.15."}],
    },
    {"htsno": "9903.88.15", "indent": "0", "description": "Articles the product of China", "general": "7.5%"},
]


async def test_the_schedules_say_which_revision_answers_and_what_is_stored(running: ServiceUnderTest) -> None:
    revisions = Revisions(running.service.settings.data_dir)
    stored = revisions.stage(edition("2025-test", heading_words="Never current:"))
    body = (await running.live.get("/api/v1/schedules")).json()
    assert [schedule["schedule"] for schedule in body["data"]] == ["US-HTS", "EU-CN"]
    assert body["data"][0]["starter"] is True
    assert body["data"][0]["schedule_revision"].startswith("starter-")
    found = [each for each in body["data"][1]["revisions"] if each["digest"] == stored.revision.digest]
    assert ("2025-test", False) in [(each["revision"], each["current"]) for each in found]
    assert (body["has_more"], body["next_cursor"]) == (False, None)


async def test_a_code_is_answered_with_path_children_and_notes(running: ServiceUnderTest) -> None:
    data_dir = running.service.settings.data_dir
    Revisions(data_dir).stage(edition("2025-test"))
    toys = (Code("95"),)
    part = Paragraph("", "This chapter does not cover bags of heading 4202.", NoteKind.EXCLUDES, toys, (Code("4202"),))
    note = Note(NoteFamily.LEGAL, "1", 20, toys[0], NoteKind.EXCLUDES, toys, (part,))
    StoredNotes(data_dir).store(EU, Notes("test", (note,)))
    body = (await running.live.get("/api/v1/schedules/EU-CN/codes/9503.00?revision=2025-test")).json()
    assert (body["code"], body["schedule_revision"], body["declarable"]) == ("950300", "2025-test", False)
    assert [step["code"] for step in body["path"]] == ["9503", "950300"]
    assert [child["code"] for child in body["children"]] == ["95030000"]
    assert body["notes"][0]["reference"] == "Note 1 to Chapter 95"
    assert body["notes"][0]["codes"] == ["4202"]


async def test_what_is_not_there_is_a_404_and_what_is_no_code_a_400(running: ServiceUnderTest) -> None:
    for path in ("EU-CN/codes/0199", "UK-GT/codes/9503", "EU-CN/codes/9503?revision=1999"):
        response = await running.live.get(f"/api/v1/schedules/{path}")
        assert (response.status_code, response.json()["error"]["code"]) == (404, "NOT_FOUND")
    wrong = await running.live.get("/api/v1/schedules/EU-CN/codes/95O3")
    assert wrong.status_code == 400
    assert wrong.json()["error"]["details"][0]["field"] == "code"


async def test_a_key_without_the_scope_is_refused(running: ServiceUnderTest) -> None:
    key = await running.key(scopes=frozenset({Scope.USAGE_READ}))
    response = await running.live.get("/api/v1/schedules", headers={"Authorization": f"Bearer {key}"})
    assert response.status_code == 403


async def test_a_code_says_its_footnotes_and_the_duties_they_point_to_for_a_country(running: ServiceUnderTest) -> None:
    write_revision(running.service.settings.data_dir, to_schedule(SHIRTS, "2026-shirts"))
    path = "/api/v1/schedules/US-HTS/codes/6109.10.00?revision=2026-shirts"
    body = (await running.live.get(f"{path}&country_of_origin=cn&entry_date=2026-11-23")).json()
    assert body["footnotes"] == [{"columns": ["general"], "text": "See 9903.88.15."}]
    [told] = body["additional_duties"]
    assert (told["provision"], told["rate"], told["text"]) == ("9903.88.15", "7.5%", "Articles the product of China")
    assert (body["duty_column"], body["special_rates"]) == (1, [])
    mexican = (await running.live.get(f"{path}&country_of_origin=MX")).json()
    assert (mexican["additional_duties"], mexican["special_rates"][0]["countries"]) == ([], ["CA", "MX"])


async def test_a_country_that_is_none_is_refused_by_name(running: ServiceUnderTest) -> None:
    refused = await running.live.get("/api/v1/schedules/US-HTS/codes/6109?country_of_origin=China")
    assert refused.status_code == 400
    assert refused.json()["error"]["details"] == [{"field": "country_of_origin", "message": "use CN for China"}]
