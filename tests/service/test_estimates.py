"""How long a wait is said to be: by the work of one environment, over the workers that live."""

from collections.abc import Iterator

import pytest

from builders import ServiceUnderTest
from deployment import database_of_its_own
from pcs.base.settings import Settings

QUEUES = 3


@pytest.fixture
def settings(settings: Settings) -> Iterator[Settings]:
    with database_of_its_own(settings) as own:
        yield own


async def workers(running: ServiceUnderTest, number: int) -> None:
    await running.run("INSERT INTO procrastinate_workers SELECT FROM generate_series(1, :rows)", rows=number * QUEUES)


async def estimated(running: ServiceUnderTest, size: int) -> int:
    running.clock.turn(seconds=2)  # what was asked a second ago is asked again
    products = [{"name": f"T-shirt {number}", "identifier": str(number)} for number in range(size)]
    answer = await running.live.post(
        "/api/v1/classifications/bulk", json={"products": products, "schedules": ["US-HTS"]}
    )
    return int(answer.json()["estimated_completion_seconds"])


async def test_twice_the_workers_take_half_as_long(running: ServiceUnderTest) -> None:
    await running.classify()
    await running.work()
    await running.run("UPDATE classifications SET processing_time_ms = 2000")
    await running.run("DELETE FROM procrastinate_workers")
    await workers(running, 1)
    assert await estimated(running, 20) == 20, "20 of 2 s each, two at once"
    await workers(running, 1)
    assert await estimated(running, 20) == 20, "40 of them, four at once"


async def test_the_sandbox_s_work_counts_for_nobody_else(running: ServiceUnderTest) -> None:
    await running.classify()
    await running.work()
    await running.run("DELETE FROM procrastinate_workers")
    await workers(running, 1)
    await running.run("UPDATE classifications SET processing_time_ms = 1000")
    body = {"product": {"name": "T-shirt"}, "schedules": ["US-HTS", "EU-CN"]}
    for _ in range(30):
        assert (await running.sandbox.post("/api/v1/products/classify", json=body)).status_code == 202
    assert await estimated(running, 10) == 5
