"""What a receiver sees, on a real socket."""

import asyncio
import base64
from typing import Any

import httpx2
import pytest
from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

from builders import ServiceUnderTest
from pcs.base.tasks import ANALYSIS, DELIVERY
from pcs.webhooks.model import MAX_AT_ONCE, MAX_BROKEN_OFF
from pcs.worker.sweep import sweep
from receiver import Receiver

SECRET = "whsec_" + base64.b64encode(b"thirty-two bytes of a secret ...").decode()


async def configure(running: ServiceUnderTest, url: str, **more: object) -> None:
    response = await running.live.put("/api/v1/webhooks", json={"url": url, "secret": SECRET, **more})
    assert response.status_code == 200, response.text


async def deliveries(running: ServiceUnderTest) -> list[dict[str, object]]:
    query = "SELECT * FROM deliveries WHERE organization_id = :id ORDER BY id"
    return await running.rows(query, id=running.organization_id)


async def test_a_completed_classification_is_told_once_with_every_header(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    await configure(running, receiver.url)
    accepted = await running.classify()
    await running.work()
    [sent] = receiver.received
    [delivery] = await deliveries(running)
    assert sent.headers["content-type"] == "application/json"
    assert sent.headers["x-service-event"] == "classification.completed"
    assert sent.headers["x-service-delivery-id"] == delivery["id"]
    assert sent.headers["x-webhook-secret"] == SECRET
    assert Webhook(SECRET).verify(sent.body, sent.headers) == sent.json
    assert set(sent.json) == {"event", "timestamp", "data"}
    assert sent.json["event"] == "classification.completed"
    assert sent.json["data"]["id"] == accepted["classifications"][0]["id"]
    assert sent.json["data"]["status"] == "completed"
    assert sent.json["data"]["schedule"] == "US-HTS"
    assert sent.json["data"]["product"] == {"name": "T-shirt", "identifier": "SKU-1"}
    assert sent.json["data"]["result"] == (await running.poll(accepted))["result"]
    assert delivery["status"] == "delivered"


async def test_a_request_s_own_url_is_told_too_and_each_url_once(running: ServiceUnderTest, receiver: Receiver) -> None:
    await configure(running, receiver.url)
    await running.classify(options={"webhook_url": receiver.url})
    await running.work()
    assert len(receiver.received) == 1
    await running.classify(options={"webhook_url": f"{receiver.url}/own"})
    await running.work()
    assert len(receiver.received) == 3
    assert len({sent.headers["x-service-delivery-id"] for sent in receiver.received}) == 3


async def test_a_failed_classification_is_told_to_its_own_url_and_to_subscribers(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    await configure(running, f"{receiver.url}/all", event_types=["classification.completed"])
    await running.classify(name="thing", options={"webhook_url": receiver.url})
    await running.work()
    [sent] = receiver.received
    assert sent.headers["x-service-event"] == "classification.failed"
    assert sent.json["data"]["error"]["code"] == "INSUFFICIENT_INFORMATION"
    await configure(running, f"{receiver.url}/all", event_types=["classification.failed"])
    await running.classify(name="thing")
    await running.work()
    assert len(receiver.received) == 2


async def test_an_endpoint_that_is_off_hears_nothing(running: ServiceUnderTest, receiver: Receiver) -> None:
    await configure(running, receiver.url, enabled=False)
    await running.classify()
    await running.work()
    assert receiver.received == []
    [held] = (await running.live.get("/api/v1/webhooks/deliveries", params={"status": "skipped"})).json()["data"]
    assert (held["attempts"], held["next_attempt_at"]) == (0, None)
    assert held["progress"] == "held while the endpoint was disabled"
    assert held["product"] == {"name": "T-shirt", "identifier": "SKU-1"}


async def test_a_failure_is_retried_after_1_5_and_30_minutes_with_the_same_bytes(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    receiver.statuses = [500, 404, 503]
    await configure(running, receiver.url)
    await running.classify()
    for minutes, count in ((0, 1), (0.9, 1), (0.2, 2), (4.8, 2), (0.3, 3), (29.8, 3), (0.3, 4)):
        running.clock.turn(minutes=minutes)
        await running.work()
        assert len(receiver.received) == count, minutes
    assert len({(sent.body, sent.headers["x-service-delivery-id"]) for sent in receiver.received}) == 1
    [delivery] = await deliveries(running)
    assert delivery["status"] == "delivered"
    detail = (await running.live.get(f"/api/v1/webhooks/deliveries/{delivery['id']}")).json()
    assert [attempt["response_status"] for attempt in detail["attempt_history"]] == [500, 404, 503, 200]
    assert detail["body"] == receiver.received[0].json
    assert detail["next_attempt_at"] is None


async def test_a_receiver_that_never_accepts_is_given_up_after_four_attempts(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    receiver.statuses = [500] * 9
    await configure(running, receiver.url)
    accepted = await running.classify()
    for _ in range(6):
        running.clock.turn(minutes=31)
        await running.work()
    assert len(receiver.received) == 4
    assert (await deliveries(running))[0]["status"] == "failed"
    assert (await running.poll(accepted))["status"] == "completed"


async def test_a_changed_secret_signs_beside_the_old_one_for_a_day(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    await configure(running, receiver.url)
    newer = "whsec_" + base64.b64encode(b"another secret of enough bytes ..").decode()
    await running.live.put("/api/v1/webhooks", json={"url": receiver.url, "secret": newer})
    await running.classify()
    await running.work()
    [sent] = receiver.received
    assert sent.headers["x-webhook-secret"] == newer
    Webhook(SECRET).verify(sent.body, sent.headers)
    Webhook(newer).verify(sent.body, sent.headers)
    running.clock.turn(hours=25)
    await running.classify()
    await running.work()
    assert len(receiver.received[-1].headers["webhook-signature"].split()) == 1


async def test_the_secret_is_neither_returned_nor_stored_as_it_is(running: ServiceUnderTest) -> None:
    await configure(running, "https://example.com/hook")
    response = await running.live.get("/api/v1/webhooks")
    assert response.json()["secret_set"] is True
    assert SECRET not in response.text
    [row] = await running.rows(
        "SELECT secret FROM webhook_endpoints WHERE organization_id = :id", id=running.organization_id
    )
    assert SECRET.encode() not in bytes(row["secret"])
    await running.live.put("/api/v1/webhooks", json={"url": "https://example.com/hook"})
    assert (await running.live.get("/api/v1/webhooks")).json()["secret_set"] is True
    await running.live.put("/api/v1/webhooks", json={"url": "https://example.com/hook", "secret": ""})
    assert (await running.live.get("/api/v1/webhooks")).json()["secret_set"] is False


async def test_a_removed_endpoint_is_gone(running: ServiceUnderTest) -> None:
    assert (await running.live.get("/api/v1/webhooks")).status_code == 404
    await configure(running, "https://example.com/hook")
    assert (await running.live.delete("/api/v1/webhooks")).status_code == 204
    assert (await running.live.delete("/api/v1/webhooks")).status_code == 404


async def test_an_unknown_event_type_is_a_400(running: ServiceUnderTest) -> None:
    body = {"url": "https://example.com/", "event_types": ["classification.completed", "everything"]}
    response = await running.live.put("/api/v1/webhooks", json=body)
    assert response.status_code == 400
    assert response.json()["error"]["details"][0]["field"] == "event_types[1]"


async def test_a_key_that_came_before_does_not_verify_any_more_after_a_day(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    await configure(running, receiver.url)
    newer = "whsec_" + base64.b64encode(b"another secret of enough bytes ..").decode()
    await running.live.put("/api/v1/webhooks", json={"url": receiver.url, "secret": newer})
    running.clock.turn(hours=25)
    await running.classify()
    await running.work()
    headers = {**receiver.received[0].headers, "webhook-timestamp": str(int(running.clock().timestamp()))}
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(receiver.received[0].body, headers)


async def test_a_plain_secret_signs_as_the_bytes_it_is_written_with(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    await running.live.put("/api/v1/webhooks", json={"url": receiver.url, "secret": "just-a-text"})
    await running.classify()
    await running.work()
    [sent] = receiver.received
    assert sent.headers["x-webhook-secret"] == "just-a-text"
    Webhook(b"just-a-text").verify(sent.body, sent.headers)


async def test_a_webhook_switched_off_meanwhile_hears_no_retry_but_a_request_s_own_url_does(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    receiver.statuses = [500, 500]
    await configure(running, receiver.url)
    await running.classify(options={"webhook_url": f"{receiver.url}/own"})
    await running.work()
    await configure(running, receiver.url, enabled=False)
    running.clock.turn(minutes=2)
    await running.work()
    assert len(receiver.received) == 3
    states = {str(row["url"]): row["status"] for row in await deliveries(running)}
    assert states == {receiver.url: "failed", f"{receiver.url}/own": "delivered"}, "the version before knows no other"
    path = "/api/v1/webhooks/deliveries"
    held = (await running.live.get(path, params={"status": "skipped"})).json()
    assert [one["last_error"] for one in held["data"]] == ["not sent: the webhook is disabled"]
    assert (await running.live.get(path, params={"status": "failed"})).json()["data"] == []


async def test_a_test_event_is_sent_whatever_the_webhook_is_subscribed_to(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    assert (await running.live.post("/api/v1/webhooks/test")).status_code == 404
    await configure(running, receiver.url, enabled=False)
    for _ in range(2):
        assert (await running.live.post("/api/v1/webhooks/test")).status_code == 202
    await running.work()
    assert [sent.json["event"] for sent in receiver.received] == ["webhook.test"] * 2
    assert len({sent.headers["webhook-id"] for sent in receiver.received}) == 2
    Webhook(SECRET).verify(receiver.received[0].body, receiver.received[0].headers)


async def redeliver(running: ServiceUnderTest, delivery_id: object) -> httpx2.Response:
    return await running.live.post(f"/api/v1/webhooks/deliveries/{delivery_id}/redeliver")


async def test_a_redelivery_keeps_id_and_bytes_and_goes_where_the_webhook_is_now(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    await configure(running, f"{receiver.url}/old")
    await running.classify()
    assert (await redeliver(running, "dlv_01jx0000000000000000000000")).status_code == 404
    await running.work()
    [delivery] = await deliveries(running)
    await configure(running, f"{receiver.url}/new")
    receiver.statuses = [500]
    assert (await redeliver(running, delivery["id"])).status_code == 202
    assert (await redeliver(running, delivery["id"])).status_code == 409
    await running.work()
    running.clock.turn(minutes=2)
    await running.work()
    assert [sent.target for sent in receiver.received] == ["/hook/old", "/hook/new", "/hook/new"]
    ids = {(sent.body, sent.headers["x-service-delivery-id"], sent.headers["webhook-id"]) for sent in receiver.received}
    assert len(ids) == 1
    detail = (await running.live.get(f"/api/v1/webhooks/deliveries/{delivery['id']}")).json()
    assert [attempt["response_status"] for attempt in detail["attempt_history"]] == [200, 500, 200]
    assert detail["status"] == "delivered"


async def test_deliveries_are_listed_page_by_page_and_only_one_s_own(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    await configure(running, receiver.url)
    for number in range(3):
        await running.classify(name=f"T-shirt {number}")
    await running.work()
    path, seen = "/api/v1/webhooks/deliveries", []
    cursor: dict[str, str] = {}
    for more in (True, False):
        listed = (await running.live.get(path, params={"limit": "2", **cursor})).json()
        seen += [one["id"] for one in listed["data"]]
        assert listed["has_more"] is more
        cursor = {"cursor": listed["next_cursor"]}
    assert seen == sorted(seen, reverse=True)
    assert len(set(seen)) == 3
    assert (await running.live.get(path, params={"event_type": "webhook.test"})).json()["data"] == []
    assert (await running.live.get(path, params={"event_type": "nothing"})).status_code == 400
    assert (await running.sandbox.get(path)).json()["data"] == []
    assert (await running.sandbox.get(f"{path}/{seen[0]}")).status_code == 404


class Counting(Receiver):
    """Knows how many requests it holds at once."""

    held: int = 0
    most: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.held += 1
        self.most = max(self.most, self.held)
        await super().serve(reader, writer)
        self.held -= 1


async def test_a_slow_receiver_gets_five_at_once_and_delays_nobody_else(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    slow = Counting(delay=2)  # a send may take 3 s
    server = await asyncio.start_server(slow.serve, "127.0.0.1", 0)
    slow.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
    for number in range(12):
        await running.classify(name=f"slow {number}", options={"webhook_url": f"{slow.url}?order={number}"})
    await running.classify(options={"webhook_url": receiver.url})
    await running.work(queue=ANALYSIS)
    working = asyncio.create_task(running.work(concurrency=20, queue=DELIVERY))
    async with asyncio.timeout(40):
        await receiver.arrived.wait()
        told_before = len(slow.received)
        await working
    server.close()
    assert told_before <= MAX_AT_ONCE
    assert slow.most == MAX_AT_ONCE
    assert sorted(sent.json["data"]["product"]["name"] for sent in slow.received) == sorted(
        f"slow {number}" for number in range(12)
    )
    assert {row["status"] for row in await deliveries(running)} == {"delivered"}


async def test_a_delivery_whose_job_is_lost_gets_another(running: ServiceUnderTest, receiver: Receiver) -> None:
    await configure(running, receiver.url)
    await running.live.post("/api/v1/webhooks/test")
    await running.run("DELETE FROM procrastinate_jobs WHERE id IN (SELECT job_id FROM deliveries)")
    await sweep(running.service)
    await running.work()
    assert receiver.received == []
    running.clock.turn(minutes=3)
    await sweep(running.service)
    await running.work()
    assert len(receiver.received) == 1


async def test_a_delivery_that_breaks_off_every_time_is_given_up(running: ServiceUnderTest, receiver: Receiver) -> None:
    await configure(running, receiver.url)
    await running.live.post("/api/v1/webhooks/test")
    await running.run("UPDATE deliveries SET claim = :claim", claim=MAX_BROKEN_OFF)
    await running.work()
    [delivery] = await deliveries(running)
    assert delivery["status"] == "failed"
    detail = (await running.live.get(f"/api/v1/webhooks/deliveries/{delivery['id']}")).json()
    assert "interrupted 10 times" in detail["last_error"]
    assert receiver.received == []


async def test_history_is_kept_for_thirty_days(running: ServiceUnderTest, receiver: Receiver) -> None:
    async def told() -> list[Any]:
        return list((await running.live.get("/api/v1/webhooks/deliveries")).json()["data"])

    await configure(running, receiver.url)
    accepted = await running.classify()
    await running.work()
    running.clock.turn(days=29)
    await sweep(running.service)
    assert len(await told()) == 1
    running.clock.turn(days=2)
    events = "SELECT 1 FROM events WHERE organization_id = :id"
    for _ in range(50):  # each sweep takes a thousand, the oldest first, and those of other tests are older
        await sweep(running.service)
        if not await running.rows(events, id=running.organization_id):
            break
    assert await told() == []
    assert await running.rows(events, id=running.organization_id) == []
    assert (await running.poll(accepted))["status"] == "completed"
