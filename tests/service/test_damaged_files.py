"""A real API and a real worker over a data folder in which a disk has changed something."""

from __future__ import annotations

import asyncio
import dataclasses
import os
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest

from deployment import Deployment, database_of_its_own
from pcs.base.settings import Settings
from pcs.base.tenancy import Environment
from pcs.bootstrap import build_service
from pcs.engine.opening import open_trained
from pcs.rulings.service import RulingCorpus
from pcs.schedules.service import Revisions
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName
from pcs.tariff.ruling import Ruling, RulingSource
from whole_schedule import edition

EU = ScheduleName.EU_CN
TIMEOUT = 60


@pytest.fixture
def damaged(settings: Settings, tmp_path: Path) -> Settings:
    """An installation of its own, whose EU schedule was cut off and one of whose rulings was changed."""
    revisions = Revisions(tmp_path)
    key = revisions.promote(EU, revisions.stage(edition("2025")).key).key
    with closing(RulingCorpus(tmp_path)) as corpus:
        corpus.add([Ruling("N123456", RulingSource.CROSS, None, "A T-shirt of cotton", codes=(Code("6109100012"),))])
    rows = tmp_path / "schedules/EU-CN" / key / "rows.json"
    rows.write_bytes(rows.read_bytes()[:-1000])
    rulings = tmp_path / "rulings/rulings.sqlite"
    rulings.write_bytes(rulings.read_bytes().replace(b"A T-shirt of cotton", b"A T-shirt of lotion"))
    cache = os.environ["PCS_CACHE_DIR"]
    open_trained(tmp_path, Path(cache))  # counted once for all tests, so that the worker starts at once
    return dataclasses.replace(settings, data_dir=tmp_path, cache_dir=cache, log_level="warning")


@pytest.fixture
async def deployment(damaged: Settings) -> AsyncIterator[Deployment]:
    with database_of_its_own(damaged) as own:
        found = Deployment(build_service(own))
        try:
            found.live_url = found.serve(Environment.LIVE)
            found.run_command("work")
            await found.until_ready(found.live_url)
            yield found
        finally:
            await found.stop()


async def until(client: httpx2.AsyncClient, path: str, status: str) -> dict[str, Any]:
    for _ in range(TIMEOUT * 5):
        body: dict[str, Any] = (await client.get(path)).json()
        if body["status"] == status:
            return body
        await asyncio.sleep(0.2)
    raise AssertionError(body)


async def test_the_healthy_schedule_and_all_reads_go_on_and_the_damaged_one_waits_until_it_is_mended(
    deployment: Deployment,
) -> None:
    token = await deployment.key(await deployment.organization())
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(base_url=deployment.live_url, headers=headers, trust_env=False) as client:
        ready = await client.get("/ready")
        assert (ready.status_code, ready.json()["status"]) == (200, "degraded")
        assert "pcs schedules import" in ready.json()["damaged"]["EU-CN"]
        assert "pcs rulings mend" in ready.json()["damaged"]["rulings"]  # the worker met it, the API tells it

        [american, european] = (await client.get("/api/v1/schedules")).json()["data"]
        assert "damaged" not in american
        assert "pcs schedules import" in european["damaged"]
        assert (await client.get("/api/v1/schedules/US-HTS/codes/6109")).status_code == 200
        refused = await client.get("/api/v1/schedules/EU-CN/codes/6109")
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "SERVICE_UNAVAILABLE")
        assert "rows.json" in refused.json()["error"]["message"]
        assert "pcs rulings mend" in (await client.get("/api/v1/rulings/N123456")).json()["error"]["message"]

        goods = {"product": {"name": "Knitted T-shirt of cotton for men"}, "schedules": ["US-HTS", "EU-CN"]}
        accepted = (await client.post("/api/v1/products/classify", json=goods)).json()
        paths = {one["schedule"]: one["poll_url"] for one in accepted["classifications"]}
        await until(client, paths["US-HTS"], "completed")
        waiting = (await client.get(paths["EU-CN"])).json()
        assert waiting["status"] in {"pending", "processing"}

        revisions = Revisions(deployment.service.settings.data_dir)
        revisions.stage(edition("2025"))
        done = await until(client, paths["EU-CN"], "completed")
        assert done["result"]["schedule_revision"] == "2025"
        assert "EU-CN" not in (await client.get("/ready")).json()["damaged"]
        assert (await client.get("/api/v1/schedules/EU-CN/codes/6109")).status_code == 200
