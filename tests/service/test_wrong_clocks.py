"""Hosts whose clocks are two hours wrong, with one database: real processes, whose times are all the database's."""

import asyncio
import datetime as dt
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from deployment import Deployment, database_of_its_own
from pcs.base.settings import Settings
from pcs.base.tenancy import Environment
from pcs.bootstrap import build_service
from receiver import Receiver

HOURS = (2.0, 0.0)
PATH = "/api/v1/webhooks"


@pytest.fixture
async def deployment(settings: Settings) -> AsyncIterator[Deployment]:
    """No process yet; each test starts those that it needs."""
    with database_of_its_own(settings) as own:
        prepared = Deployment(build_service(own))
        yield prepared
        await prepared.stop()


async def hosts(deployment: Deployment) -> list[str]:
    """An API process a clock, the one ahead first, and a worker that is behind; their addresses."""
    urls = [deployment.serve(Environment.LIVE, ahead=hours) for hours in HOURS]
    deployment.work(ahead=-2)
    await deployment.until_ready(*urls)
    return urls


def moment(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text)


def is_now(text: str, *, within: float = 30) -> bool:
    return abs((dt.datetime.now(dt.UTC) - moment(text)).total_seconds()) < within


async def client(deployment: Deployment, *, rate_limit: int) -> httpx2.AsyncClient:
    token = await deployment.key(await deployment.organization(), rate_limit=rate_limit)
    return httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, trust_env=False, timeout=30)


async def test_one_wrong_clock_locks_no_key_out_and_all_count_in_one_window(deployment: Deployment) -> None:
    urls = await hosts(deployment)
    async with await client(deployment, rate_limit=4) as api:
        answers = [await api.get(f"{url}{PATH}") for url in urls * 2]
        assert [answer.status_code for answer in answers] == [404] * 4
        assert [answer.headers["x-ratelimit-remaining"] for answer in answers] == list("3210")
        assert len({answer.headers["x-ratelimit-reset"] for answer in answers}) == 1
        for url in urls:
            refused = await api.get(f"{url}{PATH}")
            assert refused.status_code == 429
            assert 1 <= int(refused.headers["retry-after"]) <= 60


async def test_a_window_in_the_future_ends_a_minute_from_now_at_the_latest(deployment: Deployment) -> None:
    url = deployment.serve(Environment.LIVE)
    deployment.work()
    await deployment.until_ready(url)
    async with await client(deployment, rate_limit=2) as api:
        await api.get(f"{url}{PATH}")
        await deployment.run("UPDATE rate_windows SET started_at = now() + interval '2 hours'")
        assert (await api.get(f"{url}{PATH}")).status_code == 404
        refused = await api.get(f"{url}{PATH}")
        assert refused.status_code == 429
        assert 1 <= int(refused.headers["retry-after"]) <= 60


async def final(api: httpx2.AsyncClient, address: str) -> Any:
    async with asyncio.timeout(90):
        while (one := (await api.get(address)).json())["status"] not in {"completed", "failed"}:  # noqa: ASYNC110 (another process does it)
            await asyncio.sleep(0.1)
    return one


async def test_what_one_host_accepts_and_another_finishes_ends_after_it_began(deployment: Deployment) -> None:
    urls = await hosts(deployment)
    body = {"product": {"name": "T-shirt"}, "schedules": ["US-HTS"]}
    async with await client(deployment, rate_limit=10_000) as api:
        for url in urls:
            accepted = (await api.post(f"{url}/api/v1/products/classify", json=body)).json()
            one = await final(api, f"{url}{accepted['classifications'][0]['poll_url']}")
            assert is_now(one["created_at"])
            assert moment(one["created_at"]) <= moment(one["completed_at"])
            assert is_now(one["completed_at"])


async def test_a_retry_comes_when_it_is_due_by_every_clock(deployment: Deployment, receiver: Receiver) -> None:
    receiver.statuses = [500]
    [url, *_] = await hosts(deployment)
    async with await client(deployment, rate_limit=10_000) as api:
        await api.put(f"{url}{PATH}", json={"url": receiver.url})
        sent = (await api.post(f"{url}{PATH}/test")).json()["delivery_id"]
        async with asyncio.timeout(20):
            while not (one := (await api.get(f"{url}{PATH}/deliveries/{sent}")).json())["attempt_history"]:  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        assert is_now(one["attempt_history"][0]["started_at"])
        wait = (moment(one["next_attempt_at"]) - dt.datetime.now(dt.UTC)).total_seconds()
        assert 20 < wait <= 61
