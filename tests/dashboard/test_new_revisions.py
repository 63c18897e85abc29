"""What a new revision means for those who classified under the last one: told once, shown, and classified again."""

from __future__ import annotations

import csv
import dataclasses
import os
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from builders import ServiceUnderTest, TurnedClock, build_service_under_test
from dashboard.answered_before import GONE, answer, classified
from dashboard.visitor import Office
from pcs.base.queue import Order, defer
from pcs.base.settings import Settings
from pcs.classifications.comparisons import COMPARE
from pcs.organizations.model import Role
from pcs.schedules.service import Revisions
from pcs.tariff.changes import ChangeKind
from pcs.tariff.revision import ScheduleName
from pcs.tariff.sources.files import read_schedule
from pcs.worker.comparisons import notice_promotions
from receiver import Receiver
from whole_schedule import edition

BASE = "/dashboard/live"


async def subscribed(service: ServiceUnderTest, receiver: Receiver) -> None:
    hook = {"url": receiver.url, "secret": "s" * 32, "event_types": ["schedule.outdated"], "enabled": True}
    assert (await service.live.put("/api/v1/webhooks", json=hook)).status_code == 200


@pytest.fixture
async def mine(settings: Settings, tmp_path: Path) -> AsyncIterator[ServiceUnderTest]:
    """A service with a data folder of its own, for what a test promotes."""
    service = await build_service_under_test(dataclasses.replace(settings, data_dir=tmp_path), TurnedClock())
    yield service
    await service.close()


@pytest.fixture
async def other(mine: ServiceUnderTest) -> AsyncIterator[ServiceUnderTest]:
    """Another organization of the same installation."""
    service = await build_service_under_test(mine.service.settings, mine.clock)
    yield service
    await service.close()


async def promoted(service: ServiceUnderTest, name: ScheduleName, edition: str) -> None:
    """Another process promotes a revision; a worker sweeps, and does what there is to do."""
    Revisions(service.service.settings.data_dir).promote(name, edition)
    await notice_promotions(service.service)
    await service.work(answer)


@pytest.mark.timeout(180)
async def test_from_2025_to_2026_each_organization_is_told_of_its_own_answers_and_classifies_them_again(
    mine: ServiceUnderTest, other: ServiceUnderTest, receiver: Receiver
) -> None:
    shared = Path(os.environ.get("PCS_SHARED") or Path(__file__).parents[3] / "shared") / "data/us-hts"
    if not shared.is_dir():
        pytest.skip(f"needs published tariff data in {shared}: set PCS_SHARED to the folder that holds data/")
    us, revisions = ScheduleName.US_HTS, Revisions(mine.service.settings.data_dir)
    before = revisions.stage(read_schedule(shared / "hts_2025_basic.json.gz"))
    after = revisions.stage(read_schedule(shared / "hts_2026_rev_10.json.gz"))
    await promoted(mine, us, before.key)
    changes = mine.service.library.changes(us, before.key, after.key)
    assert changes is not None
    told = {"reworded": "3004909204", "removed": changes.removed[0], "rerated": "rate", "same": "6109100012"}
    told["rerated"] = next(code for code in changes.lines(ChangeKind.RERATED) if code not in changes.outdated)
    await classified(mine, *told.values(), schedule="US-HTS", revision="2025-basic")
    await classified(other, told["same"], told["rerated"], schedule="US-HTS", revision="2025-basic")
    await subscribed(mine, receiver)
    await subscribed(other, receiver)
    await promoted(mine, us, after.key)
    theirs, event = sorted((each.json for each in receiver.received), key=lambda each: each["data"]["outdated"])
    assert (theirs["data"]["outdated"], theirs["data"]["counts"]) == (0, {"rerated": 1})
    assert (event["event"], event["data"]["before"], event["data"]["after"]) == (
        *("schedule.outdated", "2025-basic", "2026-rev-10"),
    )
    assert (event["data"]["outdated"], event["data"]["counts"]["rerated"]) == (2, 1)
    listed = (await mine.live.get(event["data"]["list_url"])).json()
    assert {one["code"] for one in listed["data"]} == {told["reworded"], told["removed"]}
    assert (await other.live.get(event["data"]["list_url"])).json()["total"] == 0
    rates = (await other.live.get(f"{event['data']['list_url']}&change=rerated")).json()
    assert [one["code"] for one in rates["data"]] == [told["rerated"]]
    await _classify_on_the_page(mine, told)
    assert (await mine.live.get(event["data"]["list_url"])).json()["total"] == 0


async def _classify_on_the_page(mine: ServiceUnderTest, told: dict[str, str]) -> None:
    office = Office(mine)
    visitor = await office.signed_in()
    page = (await visitor.open(BASE)).text
    assert "2 of your classifications under US-HTS use a code that the revision now in use removed or changed" in page
    path = f"{BASE}/schedules/US-HTS/changes"
    link = page.split(f'href="{path}?')[1].split('"')[0].replace("&amp;", "&")
    rows = list(csv.DictReader((await visitor.open(f"{BASE}/schedules/US-HTS/outdated.csv?{link}")).text.splitlines()))
    assert {row["code"].replace(".", "") for row in rows} == {told["reworded"], told["removed"]}
    page = (await visitor.open(f"{path}?{link}")).text
    assert "Classify these again" in page
    named = dict(httpx2.QueryParams(link.partition("#")[0]).items())
    await visitor.send(path, **named)
    assert "Being classified again" in (await visitor.follow()).text
    batches = (await mine.live.get("/api/v1/classifications/bulk")).json()["data"]
    assert [batch["summary"]["total"] for batch in batches] == [2]
    assert 'id="outdated"' not in (await visitor.open(BASE)).text
    await office.close()


async def test_a_promotion_is_told_once_however_often_it_is_noticed_and_compared(
    mine: ServiceUnderTest, receiver: Receiver
) -> None:
    eu, revisions = ScheduleName.EU_CN, Revisions(mine.service.settings.data_dir)
    before, after = revisions.stage(edition("2025")), revisions.stage(edition("2026", dropped=GONE))
    await promoted(mine, eu, before.key)
    await classified(mine, GONE, GONE, schedule="EU-CN", revision="2025")
    await subscribed(mine, receiver)
    for _ in range(2):
        await promoted(mine, eu, after.key)
    await mine.run("UPDATE schedule_comparisons SET finished_at = NULL")
    [row] = await mine.rows("SELECT id FROM schedule_comparisons WHERE after = :after", after=after.key)
    async with mine.service.database.begin() as transaction:
        await defer(transaction, COMPARE, [Order(row["id"])])
    await mine.work(answer)
    assert [each.json["data"]["counts"] for each in receiver.received] == [{"removed": 2}]
    left = "SELECT id FROM schedule_comparisons WHERE finished_at IS NULL AND id = :id"
    assert await mine.rows(left, id=row["id"]) == []


async def test_a_change_of_rate_alone_is_told_and_asks_for_nothing(mine: ServiceUnderTest, receiver: Receiver) -> None:
    eu, revisions = ScheduleName.EU_CN, Revisions(mine.service.settings.data_dir)
    before, after = revisions.stage(edition("2025")), revisions.stage(edition("2025-b", units=("kg",)))
    await promoted(mine, eu, before.key)
    await classified(mine, GONE, schedule="EU-CN", revision="2025")
    await subscribed(mine, receiver)
    await promoted(mine, eu, after.key)
    [event] = [each.json["data"] for each in receiver.received]
    assert (event["outdated"], event["counts"]) == (0, {"remeasured": 1})
    office = Office(mine)
    visitor = await office.signed_in()
    assert 'id="outdated"' not in (await visitor.open(BASE)).text
    page = (await visitor.open(f"{BASE}/schedules/EU-CN/changes?from={before.key}&to={after.key}&kind=remeasured")).text
    assert "nothing has to be classified again" in page
    assert "again</button>" not in page
    await office.close()


async def test_classifying_again_over_the_api_takes_each_once_and_costs_a_credit_each(mine: ServiceUnderTest) -> None:
    revisions = Revisions(mine.service.settings.data_dir)
    pair = {"from": revisions.stage(edition("2025")).key, "to": revisions.stage(edition("2026", dropped=GONE)).key}
    await classified(mine, *[GONE] * 3, "61091000", schedule="EU-CN", revision="2025")
    spent = (await mine.live.get("/api/v1/usage")).json()["credits_consumed_in_all"]
    again = await mine.live.post("/api/v1/schedules/EU-CN/outdated/classify", json=pair)
    assert again.status_code == 202
    assert (again.json()["accepted"], again.json()["left"], len(again.json()["batches"])) == (3, 0, 1)
    assert (await mine.live.post("/api/v1/schedules/EU-CN/outdated/classify", json=pair)).json()["accepted"] == 0
    assert (await mine.live.get("/api/v1/usage")).json()["credits_consumed_in_all"] == spent + 3


async def test_who_may_not_classify_is_offered_no_button_and_refused(mine: ServiceUnderTest) -> None:
    revisions = Revisions(mine.service.settings.data_dir)
    before, after = revisions.stage(edition("2025")), revisions.stage(edition("2026", dropped=GONE))
    await classified(mine, GONE, schedule="EU-CN", revision="2025")
    office = Office(mine)
    visitor = await office.signed_in(Role.VIEWER)
    path = f"{BASE}/schedules/EU-CN/changes"
    page = (await visitor.open(f"{path}?from={before.key}&to={after.key}")).text
    assert "Classify these again" not in page
    assert (await visitor.send(path, **{"from": before.key, "to": after.key})).status_code == 403
    await office.close()
