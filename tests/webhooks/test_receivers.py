"""Whole deliveries to receivers that fail, hang, flood, redirect or move, over real HTTP and by a turned clock.

The trap: a send that was refused and left no trace; each of these is read back from the delivery's history."""

import asyncio
import dataclasses
import datetime as dt
import ipaddress
import itertools
from typing import Any

import pytest

from builders import ServiceUnderTest, TurnedClock, build_service_under_test
from pcs.base.settings import Settings
from pcs.webhooks.addresses import Address
from pcs.webhooks.transport import Transport
from receiver import Receiver, serving

RETRIES = (60, 300, 1800)  # seconds after the failure before; interface.md, Events


async def told(running: ServiceUnderTest, url: str) -> Any:
    """Classify something whose webhook goes to `url`, send it for the first time, and read the delivery."""
    await running.classify(options={"webhook_url": url})
    await running.work()
    return await read(running)


async def read(running: ServiceUnderTest) -> Any:
    [listed] = (await running.live.get("/api/v1/webhooks/deliveries")).json()["data"]
    return (await running.live.get(f"/api/v1/webhooks/deliveries/{listed['id']}")).json()


def moment(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text)


async def exhaust(running: ServiceUnderTest, delivery: Any) -> Any:
    """Turn the clock from retry to retry, each sent when it is due and not before; the delivery at its end."""
    for number, delay in enumerate(RETRIES, start=1):
        due = moment(delivery["next_attempt_at"])
        assert dt.timedelta(seconds=delay) <= due - moment(delivery["attempt_history"][-1]["started_at"])
        assert due - running.clock() <= dt.timedelta(seconds=delay)
        running.clock.turn(seconds=(due - running.clock()).total_seconds() - 3)
        await running.work()
        assert (await read(running))["attempts"] == number, "not before it is due"
        running.clock.turn(seconds=max(0, (due - running.clock()).total_seconds()) + 0.1)
        await running.work()
        delivery = await read(running)
        assert delivery["attempts"] == number + 1
        if delivery["status"] != "pending":
            break
    return delivery


async def test_a_receiver_that_fails_three_times_gets_the_fourth_attempt_in_time(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    receiver.statuses = [500, 302, 429]
    delivery = await exhaust(running, await told(running, receiver.url))
    assert delivery["status"] == "delivered"
    assert [one["response_status"] for one in delivery["attempt_history"]] == [500, 302, 429, 200]
    started = [moment(one["started_at"]) for one in delivery["attempt_history"]]
    pauses = [(after - before).total_seconds() for before, after in itertools.pairwise(started)]
    assert pauses == [pytest.approx(seconds, abs=5) for seconds in RETRIES]
    assert len({sent.body for sent in receiver.received}) == 1
    assert {sent.headers["x-service-delivery-id"] for sent in receiver.received} == {delivery["id"]}
    stamps = [int(sent.headers["webhook-timestamp"]) for sent in receiver.received]
    assert [moment.timestamp() for moment in started] == [pytest.approx(stamp, abs=5) for stamp in stamps]


async def test_a_receiver_that_never_answers_ends_failed_after_four_attempts(running: ServiceUnderTest) -> None:
    async def hang(_: asyncio.StreamReader, __: asyncio.StreamWriter) -> None:
        await asyncio.sleep(20)

    async with serving(hang) as port:
        delivery = await exhaust(running, await told(running, f"http://127.0.0.1:{port}/hook"))
        running.clock.turn(days=1)
        await running.work()
        assert await read(running) == delivery, "nothing comes after the last"
    assert (delivery["status"], delivery["next_attempt_at"]) == ("failed", None)
    assert [one["error"] for one in delivery["attempt_history"]] == ["no answer within 3 s"] * 4
    assert all(2_900 <= one["duration_ms"] < 5_000 for one in delivery["attempt_history"])


@pytest.mark.parametrize(("status", "ends"), [(200, "delivered"), (500, "failed")])
async def test_ten_gigabytes_of_answer_are_not_read_whatever_the_status(
    running: ServiceUnderTest, status: int, ends: str
) -> None:
    poured = 0

    async def flood(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal poured
        writer.write(b"HTTP/1.1 %d X\r\nContent-Length: 10000000000\r\n\r\n" % status)
        for _ in range(10_000_000_000 // 65536):
            writer.write(b"x" * 65536)
            await writer.drain()
            poured += 65536

    async with serving(flood) as port:
        delivery = await told(running, f"http://127.0.0.1:{port}/hook")
        if status != 200:
            delivery = await exhaust(running, delivery)
    assert delivery["status"] == ends
    assert {one["response_status"] for one in delivery["attempt_history"]} == {status}
    assert {one["response_body"] for one in delivery["attempt_history"]} == {"x" * 2048}
    assert poured < 20_000_000 * len(delivery["attempt_history"]), "what sockets buffer, and no more"


async def test_a_redirect_to_a_private_address_is_recorded_and_nobody_there_is_asked(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    async def redirect(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 307 X\r\nLocation: %b\r\nContent-Length: 0\r\n\r\n" % receiver.url.encode())
        await writer.drain()

    async with serving(redirect) as port:
        delivery = await exhaust(running, await told(running, f"http://127.0.0.1:{port}/hook"))
    assert delivery["status"] == "failed"
    assert [one["response_status"] for one in delivery["attempt_history"]] == [307] * 4
    assert receiver.received == []


async def test_a_name_that_turns_private_after_it_was_saved_is_refused_at_every_connect(
    settings: Settings, receiver: Receiver
) -> None:
    """The endpoint is saved while its name is nobody's yet; by the time of the sends it is this machine's."""
    strict = dataclasses.replace(settings, webhook_allowed_private_cidrs=())
    running = await build_service_under_test(strict, TurnedClock())
    asked = []

    async def turned(host: str, port: int) -> list[Address]:
        asked.append((host, port))
        return [ipaddress.ip_address("93.184.215.14"), ipaddress.ip_address("127.0.0.1")]

    await running.transport.close()
    running.transport = Transport(running.service.address_policy, timeout_seconds=1, resolver=turned)
    port = int(receiver.url.split(":")[2].split("/")[0])
    url = f"http://hooks.example.invalid:{port}/hook"
    assert (await running.live.put("/api/v1/webhooks", json={"url": url})).status_code == 200
    await running.classify()
    await running.work()
    delivery = await exhaust(running, await read(running))
    await running.close()
    assert delivery["status"] == "failed"
    refusal = "refused: the URL must point to a public address, not to 127.0.0.1"
    assert [one["error"] for one in delivery["attempt_history"]] == [refusal] * 4
    assert {one["response_status"] for one in delivery["attempt_history"]} == {None}
    assert asked == [("hooks.example.invalid", port)] * 4
    assert receiver.received == []
