"""Whose turn it is: a heap holds up neither other organizations nor what its own people ask for one by one."""

import dataclasses
from collections.abc import Iterator

import pytest

from builders import ServiceUnderTest, TurnedClock, build_service_under_test
from deployment import database_of_its_own
from determinations import determine
from pcs.base.settings import Settings
from pcs.base.tasks import ANALYSIS
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.tariff.revision import ScheduleName


@pytest.fixture
def settings(settings: Settings) -> Iterator[Settings]:
    with database_of_its_own(settings) as own:
        yield own


async def submit_batch(running: ServiceUnderTest, name: str, *, size: int) -> None:
    products = [{"name": f"{name} {number}", "identifier": str(number)} for number in range(size)]
    body = {"products": products, "schedules": ["US-HTS", "EU-CN"]}
    assert (await running.live.post("/api/v1/classifications/bulk", json=body)).status_code == 202


async def order_of_work(running: ServiceUnderTest) -> list[str]:
    """Do everything one after the other, and say in which order."""
    order: list[str] = []

    def noting(product: Product, schedule: ScheduleName, _: object = ()) -> Determination:
        order.append(product.name)
        return determine(product, schedule)

    await running.work(noting, concurrency=1, queue=ANALYSIS)
    return order


async def test_a_large_batch_holds_up_no_single_request(running: ServiceUnderTest, settings: Settings) -> None:
    await submit_batch(running, "batch", size=100)
    await running.classify(name="own single")
    other = await build_service_under_test(dataclasses.replace(settings), TurnedClock())
    await other.classify(name="other's single")
    order = await order_of_work(running)
    await other.close()
    assert set(order[:2]) == {"own single", "other's single"}
    assert len(order) == 202


async def test_two_organizations_batches_take_turns(running: ServiceUnderTest, settings: Settings) -> None:
    await submit_batch(running, "first", size=10)
    other = await build_service_under_test(dataclasses.replace(settings), TurnedClock())
    await submit_batch(other, "second", size=10)
    order = await order_of_work(running)
    await other.close()
    firsts = [sum(name.startswith("first") for name in order[: 2 * length]) for length in range(1, 21)]
    assert firsts == list(range(1, 21)), "one of each in every two"
