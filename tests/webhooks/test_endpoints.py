"""Several endpoints of one organization. The trap: an event that all of them hear, or with another's secret."""

from typing import Any

import httpx2
import pytest
from standardwebhooks import Webhook

from builders import ServiceUnderTest
from pcs.webhooks.model import MAX_ENDPOINTS
from receiver import Receiver

PATH = "/api/v1/webhooks/endpoints"


async def add(running: ServiceUnderTest, url: str, **more: object) -> Any:
    response = await running.live.post(PATH, json={"url": url, **more})
    assert response.status_code == 201, response.text
    return response.json()


async def mine(running: ServiceUnderTest) -> list[dict[str, Any]]:
    whose = "SELECT id, endpoint_id, status FROM deliveries WHERE organization_id = :id ORDER BY id"
    return await running.rows(whose, id=running.organization_id)


def targets(receiver: Receiver) -> list[str]:
    return sorted(sent.target for sent in receiver.received)


async def test_each_event_goes_to_each_endpoint_that_wants_it_with_its_own_secret(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    await running.live.put("/api/v1/webhooks", json={"url": f"{receiver.url}/default", "secret": "the-default-one"})
    done = await add(running, f"{receiver.url}/done", description="The shop")
    both = await add(running, f"{receiver.url}/both", event_types=["classification.completed", "classification.failed"])
    await add(running, f"{receiver.url}/off", enabled=False)
    await running.classify()
    await running.classify(name="thing")
    await running.work()
    assert targets(receiver) == ["/hook/both", "/hook/both", "/hook/default", "/hook/done"]
    secrets = {"/hook/done": done["secret"], "/hook/both": both["secret"], "/hook/default": "the-default-one"}
    for sent in receiver.received:
        secret = secrets[sent.target]
        assert sent.headers["x-webhook-secret"] == secret
        Webhook(secret if secret.startswith("whsec_") else secret.encode()).verify(sent.body, sent.headers)
    told = {sent.headers["webhook-id"] for sent in receiver.received if sent.json["event"].endswith("completed")}
    assert len(told) == 1, "one event, told to three"
    assert len({sent.headers["x-service-delivery-id"] for sent in receiver.received}) == 4


async def test_an_endpoint_s_failures_are_its_own(running: ServiceUnderTest, receiver: Receiver) -> None:
    await running.live.put("/api/v1/webhooks", json={"url": receiver.url})
    broken = await add(running, "http://127.0.0.1:65001/nobody")
    await running.classify()
    await running.work()
    listed = (await running.live.get("/api/v1/webhooks/deliveries", params={"endpoint_id": broken["id"]})).json()
    [one] = listed["data"]
    assert (one["endpoint_id"], one["status"], one["attempts"]) == (broken["id"], "pending", 1)
    [other] = (await running.live.get("/api/v1/webhooks/deliveries", params={"endpoint_id": "default"})).json()["data"]
    assert (other["endpoint_id"], other["status"]) == ("default", "delivered")
    assert (await running.live.get("/api/v1/webhooks/deliveries", params={"endpoint_id": "x"})).status_code == 400


async def test_a_busy_endpoint_delays_no_other_endpoint_at_the_same_host(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    await add(running, f"{receiver.url}/busy")
    await running.classify()
    await running.work(queue="analysis")
    [one] = await mine(running)
    busy = "status = 'sending', claim = 1, known_claim = 1, next_attempt_at = now() + interval '1 hour'"
    await running.run(f"UPDATE deliveries SET {busy} WHERE id = :id", id=one["id"])
    names = "organization_id, environment, event_id, status, endpoint_id, created_at, next_attempt_at"
    copied = f"SELECT id || n, url || n, {names} FROM deliveries, generate_series(1, 4) n WHERE id = :id"
    await running.run(f"INSERT INTO deliveries (id, url, {names}) {copied}", id=one["id"])  # five are under way
    other = await add(running, f"{receiver.url}/other")
    for endpoint_id in (one["endpoint_id"], other["id"]):
        await running.live.post(f"{PATH}/{endpoint_id}/test")
    await running.work(queue="delivery")
    assert targets(receiver) == ["/hook/other"]


async def test_what_is_listed_has_no_secret_and_the_default_one_comes_first(running: ServiceUnderTest) -> None:
    made = await add(running, "https://example.com/a", description="A", secret="of-my-own")
    assert made["secret"] == "of-my-own"
    await running.live.put("/api/v1/webhooks", json={"url": "https://example.com/default"})
    listed = (await running.live.get(PATH)).json()["data"]
    assert [one["id"] for one in listed] == ["default", made["id"]]
    assert listed[1] == {name: value for name, value in made.items() if name != "secret"}
    assert listed[1] == (await running.live.get(f"{PATH}/{made['id']}")).json()
    assert listed[0]["secret_set"] is False
    stored = await running.rows("SELECT secret FROM added_endpoints WHERE id = :id", id=made["id"])
    assert b"of-my-own" not in bytes(stored[0]["secret"])


async def test_a_change_leaves_the_rest_as_it_is(running: ServiceUnderTest) -> None:
    made = await add(running, "https://example.com/a", description="A", event_types=["batch.completed"])
    address = f"{PATH}/{made['id']}"
    changed = (await running.live.patch(address, json={"enabled": False})).json()
    assert changed == {**{k: v for k, v in made.items() if k != "secret"}, "enabled": False} | {
        "updated_at": changed["updated_at"]
    }
    again = (await running.live.patch(address, json={"url": "https://example.com/b", "description": ""})).json()
    assert (again["url"], again["description"], again["enabled"]) == ("https://example.com/b", "", False)
    assert (await running.live.patch(address, json={"event_types": []})).status_code == 400
    assert (await running.live.patch(address, json={"url": "ftp://example.com"})).status_code == 400
    assert (await running.live.delete(address)).status_code == 204
    for method, path in (("GET", address), ("DELETE", address), ("POST", f"{address}/test")):
        assert (await running.live.request(method, path)).status_code == 404


async def test_a_rotated_secret_signs_beside_the_one_before(running: ServiceUnderTest, receiver: Receiver) -> None:
    made = await add(running, receiver.url)
    newer = (await running.live.post(f"{PATH}/{made['id']}/secret", json={})).json()["secret"]
    assert (await running.live.post(f"{PATH}/{made['id']}/test")).status_code == 202
    await running.work()
    [sent] = receiver.received
    assert sent.headers["x-webhook-secret"] == newer != made["secret"]
    for secret in (newer, made["secret"]):
        Webhook(secret).verify(sent.body, sent.headers)


async def test_an_address_is_one_endpoint_s_and_there_are_ten_at_most(running: ServiceUnderTest) -> None:
    for number in range(MAX_ENDPOINTS):
        last = await add(running, f"https://example.com/{number}")
    same = await running.live.patch(f"{PATH}/{last['id']}", json={"url": "https://example.com/0"})
    more = await running.live.post(PATH, json={"url": "https://example.com/more"})
    assert (same.status_code, more.status_code) == (409, 409)
    assert "Another endpoint has this URL" in same.text
    assert "remove one" in more.text
    assert (await running.sandbox.post(PATH, json={"url": "https://example.com/0"})).status_code == 201
    assert (await running.live.put("/api/v1/webhooks", json={"url": "https://example.com/0"})).status_code == 200


async def test_an_address_that_two_have_is_told_once(running: ServiceUnderTest, receiver: Receiver) -> None:
    await add(running, receiver.url)
    await running.live.put("/api/v1/webhooks", json={"url": receiver.url})
    await running.classify(options={"webhook_url": receiver.url})
    await running.work()
    assert len(receiver.received) == 1


async def redeliver(running: ServiceUnderTest, delivery_id: str) -> httpx2.Response:
    return await running.live.post(f"/api/v1/webhooks/deliveries/{delivery_id}/redeliver")


async def test_a_redelivery_goes_where_its_endpoint_is_now(running: ServiceUnderTest, receiver: Receiver) -> None:
    await running.live.put("/api/v1/webhooks", json={"url": f"{receiver.url}/default", "event_types": ["webhook.test"]})
    made = await add(running, f"{receiver.url}/old")
    await running.classify()
    await running.work()
    [sent] = receiver.received
    await running.live.patch(f"{PATH}/{made['id']}", json={"url": f"{receiver.url}/new"})
    assert (await redeliver(running, sent.headers["x-service-delivery-id"])).status_code == 202
    await running.work()
    assert [one.target for one in receiver.received] == ["/hook/old", "/hook/new"]


@pytest.mark.parametrize("marked", [True, False])
async def test_a_worker_of_the_version_before_leaves_what_is_for_an_added_endpoint_to_this_one(
    running: ServiceUnderTest, receiver: Receiver, *, marked: bool
) -> None:
    """It claims without `known_claim`, and would sign with the default endpoint's secret."""
    endpoint = await add(running, receiver.url)
    await running.live.put("/api/v1/webhooks", json={"url": f"{receiver.url}/default"})
    await running.classify()
    await running.work(queue="analysis")
    claim = "UPDATE deliveries SET status = 'sending', claim = claim + 1"
    claim += ", known_claim = claim + 1" if marked else ""
    await running.run(f"{claim} WHERE organization_id = :id", id=running.organization_id)
    states = {row["endpoint_id"]: row["status"] for row in await mine(running)}
    assert states == {None: "sending", endpoint["id"]: "sending" if marked else "pending"}
