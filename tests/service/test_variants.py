"""Goods that differ in size, colour or number alone get one code, or both are flagged, in whatever order they end."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from builders import ServiceUnderTest, build_service_under_test
from dashboard.visitor import Office
from determinations import determine, with_result
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.engine.result import CitedDecision
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

MENS, PLAIN = "6109100012", "6109100004"
TUBES = "Tubes and pipes of iron or steel"


def by_size(product: Product, schedule: ScheduleName, _decided: object = ()) -> Determination:
    """An engine that takes goods of size M for others."""
    found = determine(product, schedule)
    if "size M" not in product.name:
        return found
    return with_result(found, code=Code(PLAIN), description="T-shirts, knitted > Undershirts")


def by_diameter(product: Product, schedule: ScheduleName, _decided: object = ()) -> Determination:
    """An engine that knows which pipes are thick."""
    thick = "500 mm" in product.name
    words = f"{TUBES} > {'Exceeding 406.4 mm in diameter' if thick else 'Other'}"
    return with_result(determine(product, schedule), code=Code(PLAIN if thick else MENS), description=words)


@pytest.fixture
async def neighbour(running: ServiceUnderTest) -> AsyncIterator[ServiceUnderTest]:
    """Another organization on the same database."""
    other = await build_service_under_test(running.service.settings, running.clock)
    yield other
    await other.close()


async def bulk(running: ServiceUnderTest, *names: str, engine: Any = by_size, concurrency: int = 5) -> list[Any]:
    """The items of a batch of goods of these names."""
    body = {"products": [{"name": name} for name in names], "schedules": ["US-HTS"]}
    accepted = (await running.live.post("/api/v1/classifications/bulk", json=body)).json()
    await running.work(engine, concurrency=concurrency)
    items: list[Any] = (await running.live.get(accepted["poll_url"])).json()["classifications"]
    assert [item["status"] for item in items] == ["completed"] * len(names), items
    return items


async def flagged(running: ServiceUnderTest, **query: str) -> set[str]:
    found = await running.live.get("/api/v1/classifications", params={"inconsistent": "true", **query})
    return {one["id"] for one in found.json()["data"]}


def verdicts(items: list[Any]) -> list[Any]:
    return [(item["result"]["needs_review"], item.get("consistency", {}).get("agrees")) for item in items]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("concurrency", [1, 5])
async def test_variants_of_other_codes_are_all_flagged_in_whatever_order_they_end(
    running: ServiceUnderTest, order: int, concurrency: int
) -> None:
    names = ["Shirt Aldo, size M, red", "Shirt Aldo, size L, navy blue", "Shirt Aldo, size XL", "Belt Aldo, size M"]
    items = await bulk(running, *names[::order], concurrency=concurrency)
    shirts, belt = (items[:3], items[3]) if order == 1 else (items[1:], items[0])
    assert verdicts(shirts) == [(True, False)] * 3
    assert verdicts([belt]) == [(False, None)], "other goods than a shirt"
    told = {item["product_id"]: item["consistency"]["variants"] for item in shirts}
    [medium] = [item for item in shirts if item["result"]["hts_code"] == PLAIN]
    for item in shirts:
        [variant] = told[item["product_id"]]
        assert variant["code"] == (MENS if item is medium else PLAIN)
        assert variant["fact"] is None
    assert await flagged(running) == {item["id"] for item in shirts}
    assert await flagged(running, needs_review="true") == {item["id"] for item in shirts}


async def test_variants_of_one_code_are_not_flagged(running: ServiceUnderTest) -> None:
    items = await bulk(running, "Shirt Aldo, size S", "Shirt Aldo, size L, green", "Shirt Aldo 3-pack")
    assert verdicts(items) == [(False, None)] * 3
    assert await flagged(running) == set()


async def test_the_fact_that_decides_is_named_and_nothing_is_flagged(running: ServiceUnderTest) -> None:
    items = await bulk(running, "Steel pipe 500 mm", "Steel pipe 300 mm", engine=by_diameter)
    assert verdicts(items) == [(False, True)] * 2
    [variant] = items[0]["consistency"]["variants"]
    assert variant["fact"] == "500 mm and 300 mm, where the tariff says “Exceeding 406.4 mm in diameter”"
    assert variant["id"] == items[1]["id"]


async def test_a_correction_that_makes_them_agree_takes_the_flags_back(running: ServiceUnderTest) -> None:
    items = await bulk(running, "Shirt Aldo, size M", "Shirt Aldo, size L", "Shirt Aldo, size S")
    path = f"/api/v1/classifications/{items[0]['id']}/review"
    await running.live.put(path, json={"decision": "corrected", "code": MENS})
    polled = [(await running.live.get(f"/api/v1/classifications/{item['id']}")).json() for item in items]
    assert verdicts(polled) == [(False, None)] * 3
    await running.live.put(path, json={"decision": "corrected", "code": PLAIN, "note": "It is an undershirt"})
    assert len(await flagged(running)) == 2


async def test_a_rejected_answer_and_one_that_people_decided_knowingly_are_held_against_nobody(
    running: ServiceUnderTest,
) -> None:
    items = await bulk(running, "Shirt Aldo, size M", "Shirt Aldo, size L")
    paths = [f"/api/v1/classifications/{item['id']}/review" for item in items]
    await running.live.put(paths[0], json={"decision": "rejected"})
    assert await flagged(running) == set()
    for path in paths:
        await running.live.put(path, json={"decision": "accepted"})
    assert await flagged(running) == set(), "people decided both"
    seen = (await running.live.get(f"/api/v1/classifications/{items[0]['id']}")).json()
    assert [each["code"] for each in seen["consistency"]["variants"]] == [MENS]


async def test_a_variant_that_was_decided_otherwise_is_told_and_nothing_is_taken_unseen(
    running: ServiceUnderTest,
) -> None:
    def near(product: Product, schedule: ScheduleName, _decided: object = ()) -> Determination:
        cited = CitedDecision("dec_1", Code(PLAIN), "Shirt Aldo, size M", None, 0.9, "in_force", applied=False)
        return with_result(determine(product, schedule), precedents=(cited,))

    [item] = await bulk(running, "Shirt Aldo, size L", engine=near)
    assert item["result"]["needs_review"]
    assert item["final"] is None
    assert (
        "decided 6109.10.00.04 for a variant of these goods, Shirt Aldo, size M (dec_1)" in item["result"]["reasoning"]
    )
    assert item["consistency"]["variants"] == [
        {"id": "dec_1", "name": "Shirt Aldo, size M", "code": PLAIN, "fact": None}
    ]


async def test_nobody_is_told_of_anothers_goods_nor_of_simulated_ones(
    running: ServiceUnderTest, neighbour: ServiceUnderTest
) -> None:
    [theirs] = await bulk(neighbour, "Shirt Aldo, size M")
    [ours] = await bulk(running, "Shirt Aldo, size L")
    body = {"products": [{"name": f"Shirt Aldo, size {size}"} for size in range(9)], "schedules": ["US-HTS"]}
    simulated = (await running.sandbox.post("/api/v1/classifications/bulk", json=body)).json()
    await running.work()
    found = (await running.sandbox.get(simulated["poll_url"])).json()["classifications"]
    assert verdicts([theirs, ours, *found]) == [(False, None)] * 11


async def test_a_group_that_ends_twice_over_is_judged_once_and_stays_so(running: ServiceUnderTest) -> None:
    names = [f"Shirt Aldo, size {size}, no. {number}" for number in range(20) for size in ("M", "L")]
    items = await bulk(running, *names)
    assert verdicts(items) == [(True, False)] * 40
    reviews = (
        running.live.put(f"/api/v1/classifications/{item['id']}/review", json={"decision": "corrected", "code": MENS})
        for item in items
    )
    assert {answer.status_code for answer in await asyncio.gather(*reviews)} == {200}
    assert await flagged(running) == set()


async def test_the_dashboard_shows_which_variants_differ(running: ServiceUnderTest) -> None:
    office = Office(running)
    items = await bulk(running, "Shirt Aldo, size M", "Shirt Aldo, size L")
    visitor = await office.signed_in()
    page = (await visitor.open(f"/dashboard/live/classifications/{items[0]['id']}")).text
    assert "Variants with another code" in page
    assert items[1]["id"] in page
    listed = (await visitor.open("/dashboard/live/classifications?review=inconsistent")).text
    assert all(item["id"] in listed for item in items)
    await office.close()
