"""A retried request does its work once, and a revoked key does none."""

import asyncio

import pytest
from sqlalchemy import text

from builders import ServiceUnderTest
from pcs.organizations import service as organizations
from pcs.worker.sweep import sweep

CLASSIFY = "/api/v1/products/classify"
GOOD = {"product": {"name": "T-shirt"}, "schedules": ["US-HTS"]}
KEY = {"Idempotency-Key": "order 4711"}


async def counted(running: ServiceUnderTest, table: str) -> int:
    query = f"SELECT 1 FROM {table} WHERE organization_id = :id"
    return len(await running.rows(query, id=running.organization_id))


async def test_a_retry_gets_the_same_bytes_and_costs_nothing(running: ServiceUnderTest) -> None:
    first = await running.live.post(CLASSIFY, json=GOOD, headers=KEY)
    again = await running.live.post(CLASSIFY, json=dict(reversed(GOOD.items())), headers=KEY)
    assert first.status_code == again.status_code == 202
    assert first.content == again.content
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.headers["X-Request-ID"] != first.headers["X-Request-ID"]
    assert await counted(running, "credit_entries") == 1


async def test_the_same_key_with_another_body_is_refused(running: ServiceUnderTest) -> None:
    await running.live.post(CLASSIFY, json=GOOD, headers=KEY)
    response = await running.live.post(CLASSIFY, json={**GOOD, "schedules": ["EU-CN"]}, headers=KEY)
    assert response.status_code == 422
    assert response.json()["error"]["code"] == "IDEMPOTENCY_KEY_REUSED"


async def test_fifty_identical_requests_at_once_make_one_product(running: ServiceUnderTest) -> None:
    answers = await asyncio.gather(*(running.live.post(CLASSIFY, json=GOOD, headers=KEY) for _ in range(50)))
    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.content for answer in answers}) == 1
    assert await counted(running, "products") == 1


async def test_a_request_that_takes_too_long_makes_the_other_come_back_later(running: ServiceUnderTest) -> None:
    name = f"{running.organization_id} live POST {CLASSIFY} order 4711"
    async with running.service.database.begin() as busy:
        await busy.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": name})
        response = await running.live.post(CLASSIFY, json=GOOD, headers=KEY)
    assert response.status_code == 409
    assert response.json()["error"]["code"] == "IDEMPOTENCY_IN_PROGRESS"
    assert response.headers["Retry-After"] == "1"
    assert (await running.live.post(CLASSIFY, json=GOOD, headers=KEY)).status_code == 202


async def test_a_refusal_is_not_kept(running: ServiceUnderTest) -> None:
    await running.run("UPDATE organizations SET credit_limit = 0 WHERE id = :id", id=running.organization_id)
    assert (await running.live.post(CLASSIFY, json=GOOD, headers=KEY)).status_code == 402
    await running.run("UPDATE organizations SET credit_limit = 1 WHERE id = :id", id=running.organization_id)
    assert (await running.live.post(CLASSIFY, json=GOOD, headers=KEY)).status_code == 202


async def test_an_answer_is_kept_for_a_day_and_belongs_to_one_environment(running: ServiceUnderTest) -> None:
    first = await running.live.post(CLASSIFY, json=GOOD, headers=KEY)
    sandbox = await running.sandbox.post(CLASSIFY, json=GOOD, headers=KEY)
    assert sandbox.json()["product_id"] != first.json()["product_id"]
    running.clock.turn(hours=25)
    later = await running.live.post(CLASSIFY, json=GOOD, headers=KEY)
    assert later.json()["product_id"] != first.json()["product_id"]
    running.clock.turn(hours=25)
    await sweep(running.service)
    assert await counted(running, "kept_answers") == 0


@pytest.mark.parametrize("key", ["", "x" * 256, "tab\tbed"])
async def test_a_key_of_the_wrong_shape_is_a_400(running: ServiceUnderTest, key: str) -> None:
    response = await running.live.post(CLASSIFY, json=GOOD, headers={"Idempotency-Key": key})
    assert response.status_code == 400
    assert response.json()["error"]["details"][0]["field"] == "Idempotency-Key"


async def test_a_key_revoked_while_its_request_is_in_flight_leaves_nothing_behind(running: ServiceUnderTest) -> None:
    [row] = await running.rows(
        "SELECT id FROM api_keys WHERE organization_id = :id AND environment = 'live'", id=running.organization_id
    )
    now = running.clock()
    async with running.service.database.begin() as revoking:
        await organizations.revoke_key(revoking, row["id"], running.organization_id, now=now)
        request = asyncio.create_task(running.live.post(CLASSIFY, json=GOOD, headers=KEY))
        await asyncio.sleep(0.2)
        assert not request.done()
    response = await request
    assert response.status_code == 401
    assert response.json()["error"]["reason"] == "revoked_api_key"
    assert await counted(running, "products") == 0
    assert await counted(running, "kept_answers") == 0
