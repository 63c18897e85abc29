"""Limits that operators and administrators set: effective from the next request on, for nobody else, written down."""

from builders import ServiceUnderTest, client
from pcs.base.tenancy import Environment
from pcs.organizations import limits
from pcs.organizations.people import Actor

BODY = {"product": {"name": "Mug"}, "schedules": ["US-HTS"]}


async def allow(running: ServiceUnderTest, key_id: str, limit: int | None) -> None:
    async with running.service.database.begin() as transaction:
        await limits.set_rate_limit(transaction, actor(running), key_id, limit, now=running.clock())


async def cover(running: ServiceUnderTest, limit: int | None) -> None:
    async with running.service.database.begin() as transaction:
        await limits.set_credit_limit(transaction, actor(running), limit, now=running.clock())


def actor(running: ServiceUnderTest) -> Actor:
    return Actor(running.organization_id, None, "an operator", "")


async def test_a_key_s_limit_holds_from_its_next_request_on_and_for_no_other_key(running: ServiceUnderTest) -> None:
    other = client(running.service, Environment.LIVE, await running.key())
    me = (await running.live.get("/api/v1/me")).json()
    assert me["rate_limit_per_minute"] == 100
    await allow(running, me["api_key"]["id"], 2)
    second = await running.live.get("/api/v1/me")
    assert second.json()["rate_limit_per_minute"] == 2
    assert (second.headers["X-RateLimit-Limit"], second.headers["X-RateLimit-Remaining"]) == ("2", "0")
    refused = await running.live.get("/api/v1/me")
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) >= 1
    for _ in range(4):
        assert (await other.get("/api/v1/me")).status_code == 200
    await allow(running, me["api_key"]["id"], None)
    again = await running.live.get("/api/v1/me")
    assert (again.status_code, again.headers["X-RateLimit-Limit"]) == (200, "100")
    await other.aclose()


async def test_a_credit_limit_refuses_what_it_does_not_cover_and_stores_nothing_of_it(
    running: ServiceUnderTest,
) -> None:
    other = client(running.service, Environment.LIVE, await running.key())
    await cover(running, 2)
    assert (await running.live.post("/api/v1/products/classify", json=BODY)).status_code == 202
    both = await other.post("/api/v1/products/classify", json={**BODY, "schedules": ["US-HTS", "EU-CN"]})
    assert both.status_code == 402, "the limit is the organization's, not the key's"
    assert "2 credits" in both.json()["error"]["message"]
    assert len((await running.live.get("/api/v1/products")).json()["data"]) == 1
    assert (await other.post("/api/v1/products/classify", json=BODY)).status_code == 202
    assert (await running.sandbox.post("/api/v1/products/classify", json=BODY)).status_code == 202
    usage = (await running.live.get("/api/v1/usage")).json()
    assert (usage["credit_limit"], usage["credits_consumed_in_all"]) == (2, 2)
    await cover(running, 3)
    assert (await running.live.post("/api/v1/products/classify", json=BODY)).status_code == 202
    assert (await running.live.post("/api/v1/products/classify", json=BODY)).status_code == 402
    await cover(running, None)
    assert (await running.live.post("/api/v1/products/classify", json=BODY)).status_code == 202
    await other.aclose()
