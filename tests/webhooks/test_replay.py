"""What an endpoint did not get is sent again. The trap: a replay that doubles what is under way, or that puts a heap of
old deliveries in front of what happens now."""

from typing import Any

import pytest

from builders import ServiceUnderTest
from pcs.webhooks.replays import PORTION
from pcs.worker.sweep import sweep
from receiver import Receiver

WEBHOOK = "/api/v1/webhooks"
REPLAYS = f"{WEBHOOK}/endpoints/default/replays"


async def switch(running: ServiceUnderTest, receiver: Receiver, *, on: bool) -> None:
    (await running.live.put(WEBHOOK, json={"url": receiver.url, "enabled": on})).raise_for_status()


async def listed(running: ServiceUnderTest, **query: Any) -> list[Any]:
    found: list[Any] = (await running.live.get(f"{WEBHOOK}/deliveries", params={"limit": 100, **query})).json()["data"]
    return found


async def replay(running: ServiceUnderTest, **body: Any) -> Any:
    response = await running.live.post(REPLAYS, json=body)
    assert response.status_code == 202, response.text
    return response.json()


async def test_what_happened_while_an_endpoint_was_disabled_is_held_and_sent_when_it_is_asked_for(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    receiver.statuses = [500]
    await switch(running, receiver, on=True)
    await running.classify(name="First shirt")
    await running.work()
    await switch(running, receiver, on=False)
    await running.classify(name="Second shirt")
    running.clock.turn(minutes=2)
    await running.work()  # the retry of the first finds the endpoint disabled
    assert {one["status"] for one in await listed(running)} == {"skipped"}
    assert (await running.live.post(REPLAYS, json={})).status_code == 409, "it is disabled"
    await switch(running, receiver, on=True)
    await running.work()
    assert len(receiver.received) == 1, "nothing is sent unasked"
    begun = await replay(running)
    assert (begun["total"], begun["queued"], begun["status"]) == (2, 2, "finished")
    await running.work()
    assert sorted(one.json["data"]["product"]["name"] for one in receiver.received[1:]) == [
        "First shirt",
        "Second shirt",
    ]
    assert receiver.received[0].body in {one.body for one in receiver.received[1:]}, "the same bytes"
    assert {one["status"] for one in await listed(running)} == {"delivered"}
    assert (await replay(running))["total"] == 0


async def test_a_delivery_says_of_which_goods_it_tells_and_when_it_is_tried_next(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    receiver.statuses = [500, 500, 500, 500]
    await switch(running, receiver, on=True)
    await running.classify(name="Cotton T-shirt")
    await running.work()
    running.clock.turn(seconds=12)
    [one] = await listed(running)
    assert one["product"] == {"name": "Cotton T-shirt", "identifier": "SKU-1"}
    assert one["progress"] in {f"retrying 1 of 3, next in {seconds} s" for seconds in range(44, 49)}
    running.clock.turn(seconds=50)
    await running.work()
    assert (await listed(running))[0]["progress"] == "retrying 2 of 3, next in 5 min"
    for _ in range(2):
        running.clock.turn(minutes=31)
        await running.work()
    assert (await listed(running))[0]["progress"] == "failed after 4 attempts"
    await running.live.post(f"{WEBHOOK}/test")
    assert [(one["product"], one["progress"]) for one in await listed(running, event_type="webhook.test")] == [
        (None, "waiting")
    ]


async def test_a_replay_takes_what_was_made_since_a_time_and_leaves_what_is_under_way(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    await switch(running, receiver, on=True)
    ids = {}
    for name in ("old", "failed", "delivered"):
        ids[name] = (await running.live.post(f"{WEBHOOK}/test")).json()["delivery_id"]
        running.clock.turn(minutes=1)
    await running.work()
    ids["waiting"] = (await running.live.post(f"{WEBHOOK}/test")).json()["delivery_id"]
    since = (await listed(running))[2]["created_at"]
    over = "UPDATE deliveries SET status = :status, finished_at = now() WHERE id = :id"
    for name, status in (("old", "failed"), ("failed", "failed")):
        await running.run(over, id=ids[name], status=status)
    assert (await replay(running, since=since))["total"] == 1
    pending = {one["id"] for one in await listed(running, status="pending")}
    assert pending == {ids["failed"], ids["waiting"]}
    assert (await replay(running, since=since, statuses=["delivered"]))["total"] == 1
    await running.work()
    assert len(receiver.received) == 3 + 3


HEAP = 1_200


async def heap(running: ServiceUnderTest) -> None:
    """Many deliveries that were held."""
    whose = "organization_id, environment"
    await running.run(
        f"INSERT INTO events (id, {whose}, type, subject_id, body, created_at) SELECT 'evt_' || :id || n, :id, 'live',"
        " 'webhook.test', 'evt_' || :id || n, '{}', now() FROM generate_series(1, :heap) n",
        id=running.organization_id,
        heap=HEAP,
    )
    await running.run(
        f"INSERT INTO deliveries (id, {whose}, event_id, url, status, skipped, for_endpoint, created_at, finished_at)"
        " SELECT 'dlv_' || lpad(n::text, 26, '0') || :id, :id, 'live', 'evt_' || :id || n, 'https://example.com/old',"
        " 'failed', true, true, now(), now() FROM generate_series(1, :heap) n",
        id=running.organization_id,
        heap=HEAP,
    )


async def test_a_heap_is_replayed_a_portion_at_a_time_each_once(running: ServiceUnderTest, receiver: Receiver) -> None:
    await switch(running, receiver, on=True)
    await heap(running)
    begun = await replay(running)
    assert (begun["total"], begun["queued"], begun["status"]) == (HEAP, PORTION, "running")
    assert (await running.live.post(REPLAYS, json={})).status_code == 409
    await sweep(running.service)
    states = "SELECT status, count(*) AS n FROM deliveries WHERE organization_id = :id GROUP BY status"
    whose = {"id": running.organization_id}
    assert {row["status"]: row["n"] for row in await running.rows(states, **whose)} == {
        "pending": PORTION,
        "failed": HEAP - PORTION,
    }, "the next portion waits until this one is out"
    give_up = "UPDATE deliveries SET status = 'failed', finished_at = now() WHERE status = 'pending'"
    for _ in range(2):  # these fail again, and are not found again
        await running.run(f"{give_up} AND organization_id = :id", **whose)
        await sweep(running.service)
    now = (await running.live.get(f"{REPLAYS}/{begun['id']}")).json()
    assert (now["queued"], now["status"]) == (HEAP, "finished")
    assert {row["status"]: row["n"] for row in await running.rows(states, **whose)} == {
        "pending": HEAP - 2 * PORTION,
        "failed": 2 * PORTION,
    }
    await running.run(f"{give_up} AND organization_id = :id", **whose)


@pytest.mark.parametrize("gone", [True, False])
async def test_a_replay_waits_for_an_endpoint_that_is_disabled_and_ends_with_one_that_is_removed(
    running: ServiceUnderTest, receiver: Receiver, *, gone: bool
) -> None:
    await switch(running, receiver, on=True)
    await heap(running)
    begun = await replay(running)
    over = "UPDATE deliveries SET status = 'delivered', finished_at = now() WHERE status = 'pending'"
    await running.run(f"{over} AND organization_id = :id", id=running.organization_id)
    if gone:
        await running.live.delete(WEBHOOK)
    else:
        await switch(running, receiver, on=False)
    await sweep(running.service)
    now = (await running.live.get(f"{REPLAYS}/{begun['id']}")).json()
    assert (now["queued"], now["status"]) == (PORTION, "finished" if gone else "running")
    await running.run("UPDATE webhook_replays SET finished_at = now() WHERE id = :id", id=begun["id"])
