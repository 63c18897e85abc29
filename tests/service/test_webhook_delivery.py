"""What a receiver sees, on a real socket."""

import asyncio
import base64
import datetime as dt
import time

import pytest
from standardwebhooks import Webhook

from builders import ServiceUnderTest
from pcs.webhooks.addresses import AddressPolicy, RefusedAddressError
from pcs.webhooks.transport import Sending, Transport
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
    assert (await deliveries(running))[0]["status"] == "delivered"
    query = """SELECT response_status FROM delivery_attempts a JOIN deliveries d ON d.id = a.delivery_id
                WHERE d.organization_id = :id ORDER BY a.claim"""
    statuses = [row["response_status"] for row in await running.rows(query, id=running.organization_id)]
    assert statuses == [500, 404, 503, 200]


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


async def test_a_redirect_is_not_followed(running: ServiceUnderTest, receiver: Receiver) -> None:
    receiver.statuses, receiver.headers = [302], {"Location": receiver.url}
    attempt = await running.transport.send(Sending(receiver.url, {}, b"{}"), now=running.clock())
    assert attempt.response_status == 302
    assert not attempt.succeeded
    assert len(receiver.received) == 1


async def test_a_slow_receiver_is_cut_off_and_a_long_answer_is_not_read(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    receiver.answer = b"x" * 5_000_000
    attempt = await running.transport.send(Sending(receiver.url, {}, b"{}"), now=running.clock())
    assert attempt.response_body == "x" * 2048
    receiver.delay = 30
    started = time.monotonic()
    attempt = await running.transport.send(Sending(receiver.url, {}, b"{}"), now=running.clock())
    assert attempt.error == "no answer within 1 s"
    assert time.monotonic() - started < 5


async def test_a_name_that_resolves_to_this_machine_is_refused_at_connect_time(receiver: Receiver) -> None:
    transport = Transport(AddressPolicy(allow_http=True), timeout_seconds=2)
    loop = asyncio.get_running_loop()
    port = receiver.url.split(":")[2].split("/")[0]
    real = loop.getaddrinfo

    async def rebound(host: str, *args: object, **kwargs: object) -> object:
        assert host == "harmless.example"
        return await real("127.0.0.1", *args, **kwargs)  # type: ignore[arg-type]

    loop.getaddrinfo = rebound  # type: ignore[assignment]
    try:
        sending = Sending(f"http://harmless.example:{port}/hook", {}, b"{}")
        attempt = await transport.send(sending, now=dt.datetime.now(dt.UTC))
    finally:
        del loop.getaddrinfo  # type: ignore[attr-defined]
        await transport.close()
    assert attempt.error is not None
    assert "127.0.0.1" in attempt.error
    assert receiver.received == []


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/",
        "https://",
        "https:///path",
        "https://user@example.com/",
        "https://localhost/",
        "https://printer/",
        "https://service.internal/",
        "https://127.1/",
        "https://0177.0.0.1/",
        "https://0x7f000001/",
        "https://2130706433/",
        "https://[::1]/",
        "https://[::]/",
        "https://[fe80::1%25eth0]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[2002:7f00:1::]/",
        "https://192.88.99.1/",
        "https://192.0.0.8/",
        "https://100.64.0.1/",
        "https://240.0.0.1/",
        "https://255.255.255.255/",
        "https://example.com:99999/",
        "https://exa mple.com/",
        "https://example.com\\@127.0.0.1/",
        "javascript:alert(1)",
    ],
)
def test_a_url_that_is_not_public_https_is_refused(url: str) -> None:
    with pytest.raises(RefusedAddressError):
        AddressPolicy().check_url(url)


def test_a_public_https_url_is_accepted() -> None:
    for url in ("https://example.com/hook?x=1", "https://93.184.215.14:8443/", "https://[2606:4700::1111]/"):
        AddressPolicy().check_url(url)
