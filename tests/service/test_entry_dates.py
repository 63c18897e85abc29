"""Goods that say their day of customs entry get the law of that day, or are refused by saying what is loaded."""

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from builders import ServiceUnderTest
from dashboard.visitor import Office
from pcs.base.settings import Settings
from pcs.classifications.model import Analyse
from pcs.engine.classify import classify
from pcs.engine.decided import Decided
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.schedules.library import Library
from pcs.schedules.methods import Methods
from pcs.schedules.service import Revisions
from pcs.tariff.revision import ScheduleName
from schedules.test_in_force import dated

EU = ScheduleName.EU_CN


@pytest.fixture
def settings(settings: Settings, tmp_path: Path) -> Settings:
    """With schedules of its own, which no other test sees."""
    return dataclasses.replace(settings, data_dir=tmp_path / "own")


@pytest.fixture
def analyse(running: ServiceUnderTest) -> Analyse:
    """The engine over two revisions, of which that of May answers, made as a worker makes it."""
    data_dir = running.service.settings.data_dir
    revisions = Revisions(data_dir)
    revisions.stage(dated("2026-01", "2026-01-01"))
    revisions.stage(dated("2026-05", "2026-05-01", "Goods under"))
    revisions.promote(EU, "2026-05")
    methods = Methods(Library(data_dir), cache_dir=Path(os.environ["PCS_CACHE_DIR"]))

    def ask(product: Product, schedule: ScheduleName, decided: Sequence[Decided]) -> Determination:
        return classify(product, methods.on(schedule, product.in_force_on), review_below=0, decided=decided)

    return ask


async def send(running: ServiceUnderTest, *days: str | None) -> Any:
    """A batch of one shirt for each day of entry."""
    goods = [{"name": "Cotton T-shirt", "entry_date": day} if day else {"name": "Cotton T-shirt"} for day in days]
    body = {"products": goods, "schedules": ["EU-CN"]}
    return await running.live.post("/api/v1/classifications/bulk", json=body)


async def test_the_revision_of_the_day_answers_and_the_day_is_told(running: ServiceUnderTest, analyse: Analyse) -> None:
    accepted = (await send(running, "2026-02-03", "2026-06-07", None)).json()
    await running.work(analyse)
    items = (await running.live.get(accepted["poll_url"])).json()["classifications"]
    assert [item["result"]["schedule_revision"] for item in items] == ["2026-01", "2026-05", "2026-05"]
    whole = [(await running.live.get(f"/api/v1/classifications/{item['id']}")).json() for item in items]
    assert [one["product"].get("entry_date") for one in whole] == ["2026-02-03", "2026-06-07", None]
    product = (await running.live.get(f"/api/v1/products/{items[0]['product_id']}")).json()
    assert product["entry_date"] == "2026-02-03"


@pytest.mark.usefixtures("analyse")
async def test_a_day_that_nothing_covers_is_refused_before_anything_is_stored_or_paid(
    running: ServiceUnderTest,
) -> None:
    refused = await send(running, "2026-02-03", "2025-12-31")
    assert refused.status_code == 400
    [told] = refused.json()["error"]["details"]
    assert told["field"] == "products[1].entry_date"
    assert "the earliest is 2026-01, from 1 January 2026 on" in told["message"]
    assert (await running.live.get("/api/v1/products")).json()["data"] == []
    wrong = await send(running, "31.12.2025")
    assert "must be a date such as 2026-01-31" in wrong.text


async def test_a_revision_that_is_gone_by_the_time_of_the_analysis_fails_it_in_a_sentence(
    running: ServiceUnderTest, analyse: Analyse
) -> None:
    accepted = (await send(running, "2026-02-03")).json()
    await running.run("UPDATE classifications SET product_entry_date = '2024-01-01'")
    await running.work(analyse)
    [item] = (await running.live.get(accepted["poll_url"])).json()["classifications"]
    assert item["error"]["code"] == "CLASSIFICATION_ERROR"
    assert "No loaded revision of EU-CN was in force on 1 January 2024" in item["error"]["message"]


async def test_the_dashboard_takes_a_day_and_shows_it(running: ServiceUnderTest, analyse: Analyse) -> None:
    office = Office(running)
    visitor = await office.signed_in()
    await visitor.open("/dashboard/live/classify")
    form = {"name": "Cotton T-shirt", "schedules": "EU-CN"}
    refused = await visitor.send("/dashboard/live/classify", **form, entry_date="2025-12-31")
    assert refused.status_code == 422
    assert "No loaded revision of EU-CN was in force on 31 December 2025" in visitor.text
    await visitor.send("/dashboard/live/classify", **form, entry_date="2026-02-03")
    await visitor.follow()
    await running.work(analyse)
    [one] = (await running.live.get("/api/v1/classifications")).json()["data"]
    await visitor.open(f"/dashboard/live/classifications/{one['id']}")
    assert "entered on 2026-02-03" in visitor.text
    assert "Revision 2026-01" in visitor.text
    await office.close()


async def test_goods_entered_before_a_revision_are_not_outdated_by_it(
    running: ServiceUnderTest, analyse: Analyse
) -> None:
    accepted = (await send(running, "2026-02-03", None)).json()
    await running.work(analyse)
    revisions = Revisions(running.service.settings.data_dir)
    revisions.stage(dated("2026-06", "2026-06-01", "Other goods of"))
    revisions.promote(EU, "2026-06")
    path = "/api/v1/schedules/EU-CN/outdated?from=2026-05&to=2026-06"
    listed = (await running.live.get(path)).json()["data"]
    assert [one["id"] for one in listed] == [accepted["classifications"][1]["id"]]
