"""SIGKILL at every named step of a classification's life: nothing is lost, and nobody is told twice by two ids."""

import asyncio

import httpx2
import pytest

from builders import ServiceUnderTest
from crash.processes import (
    HERE,
    WORKER,
    assert_nothing_lost_and_nothing_doubled,
    dies,
    free_port,
    process,
    until_settled,
    until_up,
)
from determinations import OUTER, ask
from pcs.evaluation.promise import Promise
from receiver import Receiver

pytestmark = pytest.mark.crash

STEPS = (
    "classification claimed",
    "classification analysed",
    "classification finished",
    "delivery claimed",
    "delivery sent",
    "delivery recorded",
)


@pytest.mark.parametrize("step", STEPS)
async def test_a_worker_killed_at_a_step_loses_and_doubles_nothing(
    step: str, apart: ServiceUnderTest, receiver: Receiver
) -> None:
    settings = apart.service.settings
    await apart.live.put("/api/v1/webhooks", json={"url": receiver.url})
    await apart.classify()
    async with process(settings, *WORKER, TEST_DIE_AT=step) as doomed:
        await dies(doomed)
    async with process(settings, *WORKER):
        await until_settled(apart, seconds=30)
    counts = await assert_nothing_lost_and_nothing_doubled(apart, receiver, accepted=1)
    assert counts["completed"] == 1
    assert counts["received"] == (2 if step == "delivery sent" else 1), "sent, but not known to be: sent again"


@pytest.mark.parametrize("step", ["several claimed", "several finished", "delivery recorded"])
async def test_a_worker_killed_with_several_in_hand_loses_and_doubles_none(
    step: str, apart: ServiceUnderTest, receiver: Receiver
) -> None:
    settings = apart.service.settings
    await apart.live.put("/api/v1/webhooks", json={"url": receiver.url})
    products = [{"name": f"Mug {number}"} for number in range(30)]
    body = {"products": products, "schedules": ["US-HTS"], "options": {"webhook_url": receiver.url}}
    assert (await apart.live.post("/api/v1/classifications/bulk", json=body)).status_code == 202
    async with process(settings, *WORKER, TEST_DIE_AT=step) as doomed:
        await dies(doomed)
    left = await apart.rows("SELECT attempt FROM classifications WHERE status = 'processing'")
    assert len(left) > 1 or step != "several claimed"
    async with process(settings, *WORKER):
        await until_settled(apart, seconds=30)
    await assert_nothing_lost_and_nothing_doubled(apart, receiver, accepted=30)


async def test_a_worker_killed_after_it_recorded_a_failure_brings_no_retry_forward(
    apart: ServiceUnderTest, receiver: Receiver
) -> None:
    settings = apart.service.settings
    receiver.statuses = [500]
    await apart.live.put("/api/v1/webhooks", json={"url": receiver.url})
    await apart.classify()
    async with process(settings, *WORKER, TEST_DIE_AT="delivery recorded") as doomed:
        await dies(doomed)
    assert len(await apart.rows("SELECT 1 FROM procrastinate_jobs WHERE status = 'doing'")) == 1, "left by the dead"
    async with process(settings, *WORKER), asyncio.timeout(90):
        while len(await apart.rows("SELECT 1 FROM procrastinate_jobs")) > 1:  # noqa: ASYNC110 (others do it)
            await asyncio.sleep(0.1)
    assert len(receiver.received) == 1
    query = """SELECT d.status, d.failures, extract(epoch FROM j.scheduled_at - a.started_at)::float AS seconds
                 FROM deliveries d JOIN procrastinate_jobs j ON j.id = d.job_id
                 JOIN delivery_attempts a ON a.delivery_id = d.id"""
    assert await apart.rows(query) == [{"status": "pending", "failures": 1, "seconds": pytest.approx(60, abs=2)}]


async def test_an_api_killed_before_its_answer_has_accepted_once_whatever_the_client_repeats(
    apart: ServiceUnderTest, receiver: Receiver
) -> None:
    settings = apart.service.settings
    await apart.live.put("/api/v1/webhooks", json={"url": receiver.url})
    body = {"product": {"name": "T-shirt"}, "schedules": ["US-HTS", "EU-CN"]}
    headers = {"Authorization": f"Bearer {apart.live_key}", "Idempotency-Key": "order-1"}
    port = free_port()
    url = f"http://127.0.0.1:{port}/api/v1/products/classify"
    async with httpx2.AsyncClient(trust_env=False, timeout=30) as client:
        async with process(settings, str(HERE / "mortal_api.py"), str(port)) as doomed:
            await until_up(f"http://127.0.0.1:{port}")
            with pytest.raises(httpx2.TransportError):
                await client.post(url, json=body, headers=headers)
            await dies(doomed)
        async with process(settings, "-m", "pcs.cli.main", "serve", "--port", str(port)):
            await until_up(f"http://127.0.0.1:{port}")
            answers = [await client.post(url, json=body, headers=headers) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [202, 202]
    assert [answer.headers["Idempotent-Replayed"] for answer in answers] == ["true", "true"]
    assert answers[0].content == answers[1].content
    async with process(settings, *WORKER):
        await until_settled(apart, seconds=30)
    await assert_nothing_lost_and_nothing_doubled(apart, receiver, accepted=2)


async def test_a_worker_killed_while_it_analyses_leaves_the_threshold_to_whoever_claims_anew(
    apart: ServiceUnderTest,
) -> None:
    """The setting is read with the claim: it changes between two claims, and the later one counts."""
    settings = apart.service.settings
    accepted = await apart.classify()
    async with process(settings, *WORKER, TEST_DIE_AT="classification analysed") as doomed:
        await dies(doomed)
    await apart.run("UPDATE organizations SET review_below = 1 WHERE id = :id", id=apart.organization_id)
    async with process(settings, *WORKER):
        await until_settled(apart, seconds=30)
    result = (await apart.poll(accepted))["result"]
    assert (result["needs_review"], result["confident_digits"]) == (True, 0)


@pytest.mark.parametrize("instant", ["commit", "answer"])
async def test_an_api_killed_in_a_review_has_decided_all_of_it_or_nothing_and_told_once(
    instant: str, apart: ServiceUnderTest, receiver: Receiver
) -> None:
    settings = apart.service.settings
    accepted = await apart.classify()
    async with process(settings, *WORKER):
        await until_settled(apart, seconds=30)
    before = await apart.poll(accepted)
    await apart.live.put("/api/v1/webhooks", json={"url": receiver.url, "event_types": ["classification.reviewed"]})
    body = {"decision": "corrected", "code": "6109100004", "note": "Plain white"}
    headers = {"Authorization": f"Bearer {apart.live_key}"}
    port, address = free_port(), f"{accepted['classifications'][0]['poll_url']}/review"
    async with process(settings, str(HERE / "mortal_api.py"), str(port), TEST_DIE_AT=instant) as doomed:
        await until_up(f"http://127.0.0.1:{port}")
        async with httpx2.AsyncClient(trust_env=False, timeout=30) as client:
            with pytest.raises(httpx2.TransportError):
                await client.put(f"http://127.0.0.1:{port}{address}", json=body, headers=headers)
        await dies(doomed)
    left, events = await apart.poll(accepted), await apart.rows("SELECT 1 FROM events WHERE type LIKE '%.reviewed'")
    if instant == "commit":
        assert (left, events) == (before, [])
    else:
        assert (left["final"]["code"], left["review"]["code"], len(events)) == ("6109100004", "6109100004", 1)
    again = await apart.live.put(address, json=body)
    assert again.json()["final"]["code"] == "6109100004"
    async with process(settings, *WORKER), asyncio.timeout(90):
        while not receiver.received:  # noqa: ASYNC110 (another process fills it)
            await asyncio.sleep(0.1)
        await until_settled(apart, seconds=30)
    assert len(receiver.received) == 1


@pytest.mark.parametrize("instant", ["commit", "answer"])
async def test_an_api_killed_while_questions_are_answered_has_one_successor_and_one_charge(
    instant: str, apart: ServiceUnderTest
) -> None:
    settings = apart.service.settings
    accepted = await apart.classify()
    await apart.work(ask)
    before = await apart.poll(accepted)
    address = f"{accepted['classifications'][0]['poll_url']}/answers"
    body = {"answers": [{"question": OUTER.id, "option": "leather"}]}
    headers = {"Authorization": f"Bearer {apart.live_key}", "Idempotency-Key": "answers-1"}
    port = free_port()
    async with process(settings, str(HERE / "mortal_api.py"), str(port), TEST_DIE_AT=instant) as doomed:
        await until_up(f"http://127.0.0.1:{port}")
        async with httpx2.AsyncClient(trust_env=False, timeout=30) as client:
            with pytest.raises(httpx2.TransportError):
                await client.post(f"http://127.0.0.1:{port}{address}", json=body, headers=headers)
        await dies(doomed)
    if instant == "commit":
        assert await apart.poll(accepted) == before
    repeated = await apart.live.post(address, json=body, headers={"Idempotency-Key": "answers-1"})
    assert repeated.status_code == 202
    [successor] = repeated.json()["classifications"]
    async with process(settings, *WORKER):
        await until_settled(apart, seconds=30)
    assert (await apart.poll(accepted))["superseded_by"] == successor["id"]
    assert [row["id"] for row in await apart.rows("SELECT id FROM classifications WHERE supersedes IS NOT NULL")] == [
        successor["id"]
    ]
    assert len(await apart.rows("SELECT 1 FROM credit_entries")) == 2


async def test_a_worker_killed_while_it_computes_a_promise_leaves_it_to_the_next_and_loses_no_review(
    apart: ServiceUnderTest,
) -> None:
    settings, promise = apart.service.settings, {"right": 0.5, "digits": 4, "asked_share": 1}
    assert (await apart.live.put("/api/v1/promise", json=promise)).status_code == 200
    needed = Promise(0.5, 4).fewest
    accepted = [await apart.classify(name=f"T-shirt {place}") for place in range(needed)]
    async with process(settings, *WORKER):
        await until_settled(apart, seconds=30)
    for one in accepted:
        address = f"{one['classifications'][0]['poll_url']}/review"
        assert (await apart.live.put(address, json={"decision": "accepted"})).status_code == 200
    async with process(settings, *WORKER, TEST_DIE_AT="promise computed") as doomed:
        await dies(doomed)
    assert (await apart.live.get("/api/v1/promise")).json()["schedules"][0]["threshold"] is None
    async with process(settings, *WORKER), asyncio.timeout(90):
        while (await apart.live.get("/api/v1/promise")).json()["schedules"][0]["reviewed"] < needed:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    assert (await apart.live.get("/api/v1/promise")).json()["schedules"][0]["threshold"] == 0.9
