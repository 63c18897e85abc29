"""SIGTERM, and analyses that hang: what is under way is finished or handed back, in time, and the process ends."""

import asyncio
import dataclasses
import signal
import time
from typing import Any

import pytest

from builders import ServiceUnderTest
from crash.processes import WORKER, process, until_settled

pytestmark = pytest.mark.crash


async def until_status(running: ServiceUnderTest, accepted: Any, status: str) -> Any:
    async with asyncio.timeout(30):
        while (polled := await running.poll(accepted))["status"] != status:  # noqa: ASYNC110 (another process sets it)
            await asyncio.sleep(0.05)
    return polled


async def test_an_analysis_longer_than_the_grace_is_handed_back_to_be_taken_at_once(apart: ServiceUnderTest) -> None:
    patient = dataclasses.replace(apart.service.settings, stop_grace_seconds=0.5, worker_stalled_seconds=600)
    accepted = await apart.classify()
    async with process(patient, *WORKER, TEST_ANALYSIS_SECONDS="120") as stopping:
        await until_status(apart, accepted, "processing")
        stopping.send_signal(signal.SIGTERM)
        started = time.monotonic()
        async with asyncio.timeout(20):
            assert await stopping.wait() == 0
        assert time.monotonic() - started < 10
    jobs = await apart.rows("SELECT status::text FROM procrastinate_jobs")
    assert jobs == [{"status": "todo"}], "handed back, not left for a rescue"
    async with process(patient, *WORKER):
        await until_settled(apart, seconds=20)
    assert (await apart.poll(accepted))["status"] == "completed"


async def test_a_stopping_worker_takes_nothing_more(apart: ServiceUnderTest) -> None:
    one_by_one = dataclasses.replace(apart.service.settings, analysis_concurrency=1, stop_grace_seconds=20)
    accepted = [await apart.classify() for _ in range(3)]
    async with process(one_by_one, *WORKER, TEST_ANALYSIS_SECONDS="2") as stopping:
        await until_status(apart, accepted[0], "processing")
        stopping.send_signal(signal.SIGTERM)
        async with asyncio.timeout(20):
            assert await stopping.wait() == 0
    assert [(await apart.poll(one))["status"] for one in accepted] == ["completed", "pending", "pending"]


async def test_a_worker_whose_analyses_hang_fails_them_in_time_and_makes_room_for_a_fresh_one(
    apart: ServiceUnderTest,
) -> None:
    strict = dataclasses.replace(
        apart.service.settings, analysis_concurrency=1, analysis_limit_seconds=0.5, stop_grace_seconds=1
    )
    accepted = await apart.classify()
    async with process(strict, *WORKER, TEST_ANALYSIS_SECONDS="600") as worn:
        polled = await until_status(apart, accepted, "failed")
        async with asyncio.timeout(20):
            assert await worn.wait() == 1, "so that its supervisor starts another"
    assert polled["error"]["code"] == "CLASSIFICATION_TIMEOUT"
    assert await apart.rows("SELECT credits FROM credit_entries") == [{"credits": 1}]
    assert await apart.rows("SELECT type FROM events") == [{"type": "classification.failed"}]
