"""Which earlier classifications a new revision makes outdated: over the API and on the command line."""

import asyncio
import dataclasses
import json
from typing import Any

import pytest
from typer.testing import CliRunner

from builders import ServiceUnderTest, build_service_under_test
from determinations import determine, with_result
from pcs.cli.schedules import app
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.schedules.service import Revisions
from pcs.tariff.code import Code
from pcs.tariff.revision import Revision, ScheduleName
from whole_schedule import edition

EU = ScheduleName.EU_CN
GONE = Code("61099999")
OUTDATED = "/api/v1/schedules/EU-CN/outdated"


def answer(product: Product, schedule: ScheduleName, _: object = ()) -> Determination:
    """An engine that answers with the code and under the revision that the description asks for."""
    code, year = product.description.split()
    revision = Revision(schedule, year, "digest")
    found = with_result(determine(product, schedule), code=Code(code), schedule_revision=year)
    return dataclasses.replace(found, revision=revision)


@pytest.fixture
def revisions(running: ServiceUnderTest) -> dict[str, str]:
    """Two editions, the later without one line, as a query names them."""
    revisions = Revisions(running.service.settings.data_dir)
    before = revisions.stage(edition("2025"))
    after = revisions.stage(edition("2026", dropped=GONE))
    revisions.promote(EU, before.key)
    return {"from": before.key, "to": after.key}


async def classified(running: ServiceUnderTest, name: str, goods: str, review: dict[str, str] | None = None) -> str:
    """A completed classification whose description says the code and the revision."""
    product = {"name": name, "description": goods}
    accepted = await running.classify(product=product, schedules=("EU-CN",))
    await running.work(answer)
    found: str = accepted["classifications"][0]["id"]
    if review:
        await running.live.put(f"/api/v1/classifications/{found}/review", json=review)
    return found


async def earlier(running: ServiceUnderTest) -> list[str]:
    """Classifications of every sort; the identifiers of those that the later edition makes outdated, newest first."""
    touched = [await classified(running, "gone", f"{GONE} 2025")]
    await classified(running, "answered since", f"{GONE} 2026")
    await classified(running, "another code", "61091000 2025")
    await classified(running, "rejected", f"{GONE} 2025", {"decision": "rejected"})
    await classified(running, "put right", f"{GONE} 2025", {"decision": "corrected", "code": "6109.10.00"})
    touched.append(await classified(running, "put wrong", "61091000 2025", {"decision": "corrected", "code": GONE}))
    touched.append(await classified(running, "accepted", f"{GONE} 2024", {"decision": "accepted"}))
    return touched[::-1]


async def test_those_whose_code_went_are_listed_page_by_page(
    running: ServiceUnderTest, revisions: dict[str, str]
) -> None:
    expected = await earlier(running)
    listed: list[Any] = []
    query = {**revisions, "limit": "2"}
    while True:
        page = (await running.live.get(OUTDATED, params=query)).json()
        assert (page["before"], page["after"], page["codes"], page["total"]) == ("2025", "2026", 1, 3)
        listed += page["data"]
        if not page["has_more"]:
            break
        query["cursor"] = page["next_cursor"]
    assert [one["id"] for one in listed] == expected
    assert {one["code"] for one in listed} == {GONE}
    assert {(one["change"], one["said"], one["says"]) for one in listed} == {
        ("removed", "Goods of 6109 > Line 61099999", "")
    }


async def test_nobody_sees_those_of_another(running: ServiceUnderTest, revisions: dict[str, str]) -> None:
    await earlier(running)
    other = await build_service_under_test(running.service.settings, running.clock)
    for stranger in (other.live, running.sandbox):
        page = (await stranger.get(OUTDATED, params=revisions)).json()
        assert (page["data"], page["total"]) == ([], 0)
    await other.close()


async def test_reworded_lines_count_and_an_edition_compared_with_itself_touches_nothing(
    running: ServiceUnderTest, revisions: dict[str, str]
) -> None:
    expected = await classified(running, "reworded", "61091000 2025")
    reworded = Revisions(running.service.settings.data_dir).stage(edition("2027", heading_words="Wares of")).key
    page = (await running.live.get(OUTDATED, params={"from": revisions["from"], "to": reworded})).json()
    assert [(one["id"], one["change"], one["says"]) for one in page["data"]] == [
        (expected, "reworded", "Wares of 6109 > Line 61091000")
    ]
    same = {"from": revisions["from"], "to": revisions["from"]}
    assert (await running.live.get(OUTDATED, params=same)).json()["codes"] == 0
    assert (await running.live.get(OUTDATED, params={"from": "none"})).status_code == 404
    assert (await running.live.get("/api/v1/schedules/XX/outdated")).status_code == 404


async def test_without_two_revisions_there_is_nothing_to_compare(running: ServiceUnderTest) -> None:
    page = (await running.live.get("/api/v1/schedules/US-HTS/outdated")).json()
    assert (page["before"], page["after"], page["data"], page["total"]) == (None, None, [], 0)


async def test_the_command_line_shows_those_of_everybody(running: ServiceUnderTest, revisions: dict[str, str]) -> None:
    expected = await earlier(running)
    settings = running.service.settings

    def pcs(*arguments: str) -> str:
        asked = ["outdated", "EU-CN", *revisions.values(), "--data-dir", str(settings.data_dir), *arguments]
        result = CliRunner().invoke(app, asked, env={**settings.as_environment(), "COLUMNS": "200"})
        assert result.exit_code == 0, result.output
        return result.stdout

    told = json.loads(await asyncio.to_thread(pcs, "--json", "--limit", "1000"))
    mine = [one for one in told["data"] if one["tenant"]["organization_id"] == running.organization_id]
    assert [one["id"] for one in mine] == expected
    assert told["total"] >= len(expected)
    page = await asyncio.to_thread(pcs, "--limit", "1")
    assert expected[0] in page
    assert f"--cursor {expected[0]}" in " ".join(page.split())
    assert expected[1] in await asyncio.to_thread(pcs, "--limit", "1", "--cursor", expected[0])
