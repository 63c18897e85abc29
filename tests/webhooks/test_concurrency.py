"""Deliveries that wait for their receiver, and the sweep that looks for lost ones: both mean the same by a receiver."""

import base64
import hashlib
import hmac

from builders import ServiceUnderTest
from pcs.base.tasks import DELIVERY
from pcs.base.tenancy import Environment, Tenant
from pcs.webhooks import service as webhooks
from pcs.webhooks.model import MAX_AT_ONCE, Attempt, Event, EventType, Recorded
from pcs.wire.events import WebhookTest
from pcs.worker.sweep import sweep
from receiver import Receiver


async def parked_behind(running: ServiceUnderTest, *, url: str, environment: str = "live") -> str:
    """A delivery that waits for one that is being sent to `url` in some environment."""
    await running.live.post("/api/v1/webhooks/test")
    await running.live.post("/api/v1/webhooks/test")
    query = "SELECT id FROM deliveries WHERE organization_id = :id ORDER BY id DESC LIMIT 2"
    parked, busy = [row["id"] for row in await running.rows(query, id=running.organization_id)]
    await running.run("UPDATE deliveries SET job_id = NULL WHERE id = :id", id=parked)
    sending = "UPDATE deliveries SET status = 'sending', url = :url, environment = :environment WHERE id = :id"
    await running.run(sending, id=busy, url=url, environment=environment)
    running.clock.turn(minutes=3)
    await sweep(running.service)
    return str(parked)


async def has_job(running: ServiceUnderTest, delivery_id: str) -> bool:
    return (await running.rows("SELECT job_id FROM deliveries WHERE id = :id", id=delivery_id))[0]["job_id"] is not None


async def test_what_waits_behind_another_path_of_its_host_is_no_orphan(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    await running.live.put("/api/v1/webhooks", json={"url": receiver.url})
    parked = await parked_behind(running, url=f"{receiver.url}/another/path")
    assert not await has_job(running, parked)


async def test_what_is_sent_in_the_other_environment_or_to_another_host_wakes_nobody(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    await running.live.put("/api/v1/webhooks", json={"url": receiver.url})
    assert await has_job(running, await parked_behind(running, url=receiver.url, environment="test"))
    assert await has_job(running, await parked_behind(running, url="https://elsewhere.example/hook"))


async def test_two_lost_sends_of_one_receiver_do_not_wait_for_each_other(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    await running.live.put("/api/v1/webhooks", json={"url": receiver.url})
    for _ in range(2):
        await running.live.post("/api/v1/webhooks/test")
    await running.run("DELETE FROM procrastinate_jobs")
    await running.run(
        "UPDATE deliveries SET status = 'sending' WHERE organization_id = :id", id=running.organization_id
    )
    running.clock.turn(minutes=3)
    await sweep(running.service)
    await running.work()
    assert len(receiver.received) == 2


async def test_a_secret_that_begins_like_base64_and_is_none_is_taken_and_its_bytes_sign(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    secret = "whsec_not-base64!"
    put = await running.live.put("/api/v1/webhooks", json={"url": receiver.url, "secret": secret})
    assert put.status_code == 200, put.text
    await running.live.post("/api/v1/webhooks/test")
    await running.work()
    [sent] = receiver.received
    signed = f"{sent.headers['webhook-id']}.{sent.headers['webhook-timestamp']}.".encode() + sent.body
    right = base64.b64encode(hmac.new(secret.encode(), signed, hashlib.sha256).digest()).decode()
    assert sent.headers["webhook-signature"] == f"v1,{right}"
    assert sent.headers["x-webhook-secret"] == secret


async def test_of_many_for_one_receiver_a_few_have_jobs_which_go_on_with_the_others(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    tenant, now = Tenant(running.organization_id, Environment.LIVE), running.clock()
    other = f"{receiver.url}/elsewhere"
    told = [(WebhookTest.of(tenant.environment, now=now).rendered(), number) for number in range(24)]
    events = [Event(tenant, EventType.WEBHOOK_TEST, f"subject {number}", body) for body, number in told]
    urls = [other if number % 12 == 0 else receiver.url for _, number in told]
    async with running.service.database.begin() as transaction:
        await webhooks.emit(transaction, tenant, list(zip(events, urls, strict=True)), now=now)
    jobs = """SELECT job_id IS NOT NULL AS has_job, count(*) AS number FROM deliveries
               WHERE organization_id = :id GROUP BY 1"""
    counts = {row["has_job"]: row["number"] for row in await running.rows(jobs, id=running.organization_id)}
    assert counts == {True: MAX_AT_ONCE + 2, False: 24 - MAX_AT_ONCE - 2}
    await running.work(queue=DELIVERY)
    assert len({sent.headers["x-service-delivery-id"] for sent in receiver.received}) == len(receiver.received) == 24
    left = "SELECT 1 FROM deliveries WHERE organization_id = :id AND status <> 'delivered'"
    assert await running.rows(left, id=running.organization_id) == []


async def test_a_job_that_went_on_is_about_what_it_does(running: ServiceUnderTest, receiver: Receiver) -> None:
    await running.live.put("/api/v1/webhooks", json={"url": receiver.url})
    for _ in range(2):
        await running.live.post("/api/v1/webhooks/test")
    query = "SELECT id, job_id FROM deliveries WHERE organization_id = :id ORDER BY id"
    first, second = await running.rows(query, id=running.organization_id)
    await running.run("UPDATE deliveries SET job_id = NULL WHERE id = :id", id=second["id"])
    await running.run("DELETE FROM procrastinate_jobs WHERE id = :id", id=second["job_id"])
    await running.run("UPDATE procrastinate_jobs SET status = 'doing' WHERE id = :id", id=first["job_id"])
    attempt = Attempt(started_at=running.clock(), duration_ms=1, response_status=200)
    async with running.service.database.begin() as transaction:
        claimed = await webhooks.claim(transaction, first["id"], running.service.secrets, now=running.clock())
        assert claimed is not None
        recorded = await webhooks.record(transaction, claimed[0], attempt, now=running.clock(), go_on=True)
    assert recorded == Recorded(counts=True, following=second["id"])
    [job] = await running.rows(
        "SELECT id, args ->> 'subject' AS subject FROM procrastinate_jobs WHERE status = 'doing'"
    )
    assert job == {"id": first["job_id"], "subject": second["id"]}
    await running.run("UPDATE procrastinate_jobs SET status = 'todo'")  # as after its worker's death
    await running.work(queue=DELIVERY)
    assert [sent.headers["x-service-delivery-id"] for sent in receiver.received] == [second["id"]]
