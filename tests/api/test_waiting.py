"""Requests that wait until what they ask for is final, holding nothing; and polls that are light.

The trap: a wait that ends because it is short; each here is woken long before its time."""

import asyncio
import contextlib
import gzip
import json
import time
from collections.abc import AsyncIterator, Coroutine
from typing import Any

import httpx2
import pytest

from builders import ServiceUnderTest
from in_process import served

BATCH = "/api/v1/classifications/bulk"
LONG = 30
SOON = 5.0


@contextlib.asynccontextmanager
async def soon() -> AsyncIterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < SOON


async def batch(running: ServiceUnderTest, count: int = 2) -> Any:
    products = [{"name": f"T-shirt {number}"} for number in range(count)]
    response = await running.live.post(BATCH, json={"products": products, "schedules": ["US-HTS"]})
    assert response.status_code == 202, response.text
    return response.json()


async def worked_while(running: ServiceUnderTest, request: Coroutine[Any, Any, httpx2.Response]) -> httpx2.Response:
    """The answer to a request that waits while a worker does its work."""
    waiting = asyncio.create_task(request)
    await asyncio.sleep(0.2)
    assert not waiting.done()
    await running.work()
    return await waiting


@pytest.mark.parametrize("asked", [{"params": {"wait": LONG}}, {"headers": {"Prefer": f"respond-async, wait={LONG}"}}])
async def test_a_poll_waits_until_the_classification_is_final(running: ServiceUnderTest, asked: Any) -> None:
    stub = (await running.classify())["classifications"][0]
    async with soon():
        response = await worked_while(running, running.live.get(stub["poll_url"], **asked))
    assert response.json()["status"] == "completed"
    assert response.headers.get("Preference-Applied") == (f"wait={LONG}" if "headers" in asked else None)
    async with soon():
        assert (await running.live.get(stub["poll_url"], **asked)).json()["status"] == "completed"


async def test_a_poll_that_waited_in_vain_says_how_it_is(running: ServiceUnderTest) -> None:
    stub = (await running.classify())["classifications"][0]
    began = time.monotonic()
    response = await running.live.get(stub["poll_url"], params={"wait": 1})
    assert (response.status_code, response.json()["status"]) == (200, "pending")
    assert 1 <= time.monotonic() - began < SOON


async def test_a_request_waits_for_all_its_schedules_and_is_then_answered_with_the_results(
    running: ServiceUnderTest,
) -> None:
    body = {"product": {"name": "T-shirt", "identifier": "SKU-1"}, "schedules": ["US-HTS", "EU-CN"]}
    path, key = "/api/v1/products/classify", {"Idempotency-Key": "waiting"}
    in_vain = await running.live.post(path, json=body, headers=key, params={"wait": 0})
    assert in_vain.status_code == 202
    assert {one["status"] for one in in_vain.json()["classifications"]} == {"pending"}
    async with soon():
        again = running.live.post(path, json=body, headers=key, params={"wait": LONG})
        done = await worked_while(running, again)
    assert (done.status_code, done.headers["Idempotent-Replayed"]) == (200, "true")
    assert done.json()["product"] == in_vain.json()["product"]
    for waited, stub in zip(done.json()["classifications"], in_vain.json()["classifications"], strict=True):
        polled = (await running.live.get(stub["poll_url"])).json()
        assert waited.items() >= (stub | {"status": "completed", "result": polled["result"]}).items()
        assert None not in waited.values(), "what is not there is left out, as the document says"
    existing = {"product_id": done.json()["product_id"], "schedules": ["US-HTS"]}
    async with soon():
        request = running.live.post("/api/v1/classifications", json=existing, headers={"Prefer": f"wait={LONG}"})
        response = await worked_while(running, request)
    assert (response.status_code, response.headers["Preference-Applied"]) == (200, f"wait={LONG}")


async def test_a_batch_is_waited_for_and_its_summary_is_small(running: ServiceUnderTest) -> None:
    accepted = await batch(running, 20)
    async with soon():
        waiting = running.live.get(accepted["poll_url"], params={"wait": LONG, "view": "summary"})
        response = await worked_while(running, waiting)
    summary = response.json()
    assert summary["summary"] == {"total": 20, "completed": 20, "failed": 0, "pending": 0}
    full = await running.live.get(accepted["poll_url"])
    assert full.json().items() >= summary.items()
    assert len(full.json()["classifications"]) == 20
    assert len(response.content) < 400 < len(full.content) / 20


@pytest.mark.parametrize(
    "path", ["/api/v1/classifications/clf_01jx4m2zq5k7m9n1p3q5r7s9t1", f"{BATCH}/batch_0", "/api/v1/uploads/upload_0"]
)
async def test_what_is_not_there_is_not_waited_for(running: ServiceUnderTest, path: str) -> None:
    async with soon():
        assert (await running.live.get(path, params={"wait": LONG})).status_code == 404


async def test_a_wrong_time_is_refused_and_a_wrong_preference_ignored(running: ServiceUnderTest) -> None:
    url = (await running.classify())["classifications"][0]["poll_url"]
    for wrong in ("61", "soon", "-1", "1.5"):
        refused = await running.live.get(url, params={"wait": wrong})
        assert refused.json()["error"]["details"][0]["field"] == "wait", wrong
    async with soon():
        for header in ("wait=soon", "respond-async", "wait", "return=minimal; wait=30", ","):
            response = await running.live.get(url, headers={"Prefer": header})
            assert (response.status_code, "Preference-Applied" in response.headers) == (200, False), header


async def test_many_wait_at_once_on_one_look_and_without_connections(running: ServiceUnderTest) -> None:
    await running.run("UPDATE api_keys SET rate_limit = 10000 WHERE organization_id = :id", id=running.organization_id)
    stubs = [one for _ in range(2) for one in (await batch(running, 20))["classifications"]]
    looks = running.service.finals.looks
    waiting = [asyncio.create_task(running.live.get(one["poll_url"], params={"wait": LONG})) for one in stubs * 4]
    await asyncio.sleep(0.5)
    database = running.service.database
    pools = [database._transactions.pool, database._statements.pool]  # noqa: SLF001
    async with asyncio.timeout(10):
        while any(pool.checkedout() for pool in pools):  # type: ignore[attr-defined] # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert not any(one.done() for one in waiting)
    await running.work()
    assert {(await one).json()["status"] for one in waiting} == {"completed"}
    assert running.service.finals.looks - looks < len(waiting) / 2


async def test_a_stopping_server_and_a_caller_who_left_hold_nothing_up(running: ServiceUnderTest) -> None:
    url = (await running.classify())["classifications"][0]["poll_url"]
    async with served(running.service) as address, httpx2.AsyncClient(trust_env=False) as client:
        headers = {"Authorization": f"Bearer {running.live_key}"}
        asked = [client.get(f"{address}{url}", headers=headers, params={"wait": LONG}, timeout=LONG) for _ in "ab"]
        left, stays = [asyncio.create_task(one) for one in asked]
        await asyncio.sleep(0.3)
        left.cancel()
        async with soon():
            running.service.bells.end()
            assert (await stays).json()["status"] == "pending"
    running.service.bells.ended = False


async def test_a_batch_s_progress_is_streamed_until_it_is_completed(running: ServiceUnderTest) -> None:
    accepted = await batch(running, 3)
    headers = {"Authorization": f"Bearer {running.live_key}", "Accept": "text/event-stream"}
    async with served(running.service) as address, httpx2.AsyncClient(trust_env=False) as client:
        async with client.stream("GET", f"{address}{accepted['poll_url']}", headers=headers) as response:
            assert response.headers["Content-Type"].startswith("text/event-stream")
            reading = asyncio.create_task(_read(response))
            await asyncio.sleep(0.2)
            await running.work()
            async with soon():
                told = await reading
        missing = await client.get(f"{address}{BATCH}/batch_0", headers=headers)
    assert missing.status_code == 404
    assert told[0]["summary"] == {"total": 3, "completed": 0, "failed": 0, "pending": 3}
    assert told[-1] == (await running.live.get(accepted["poll_url"], params={"view": "summary"})).json()
    assert told[-1]["status"] == "completed"


async def _read(response: httpx2.Response) -> list[Any]:
    """Every event until the stream's end."""
    text = b"".join([part async for part in response.aiter_raw()]).decode()
    return [json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line.startswith("data: ")]


async def test_what_a_caller_has_already_is_not_sent_again(running: ServiceUnderTest) -> None:
    accepted = await batch(running)
    single = accepted["classifications"][0]["poll_url"]
    for url in (single, accepted["poll_url"], f"{accepted['poll_url']}?view=summary"):
        first = await running.live.get(url)
        known = {"If-None-Match": f'"other", {first.headers["ETag"].removeprefix("W/")}'}
        for _ in range(2):
            same = await running.live.get(url, headers=known)
            assert (same.status_code, same.content, same.headers["ETag"]) == (304, b"", first.headers["ETag"])
    await running.work()
    for url in (single, accepted["poll_url"]):
        assert (await running.live.get(url, headers=known)).status_code == 200
        again = [(await running.live.get(url)).headers["ETag"] for _ in range(3)]
        assert len(set(again)) == 1


async def test_a_long_answer_is_packed_for_who_can_unpack_it(running: ServiceUnderTest) -> None:
    accepted = await batch(running, 20)
    await running.work()
    async with running.live.stream("GET", accepted["poll_url"], headers={"Accept-Encoding": "gzip"}) as response:
        assert (response.headers["Content-Encoding"], response.headers["Vary"]) == ("gzip", "Accept-Encoding")
        packed = b"".join([part async for part in response.aiter_raw()])
    plain = await running.live.get(accepted["poll_url"], headers={"Accept-Encoding": "identity"})
    assert gzip.decompress(packed) == plain.content
    assert len(packed) < len(plain.content) / 5
    assert "Content-Encoding" not in plain.headers
    short = await running.live.get(accepted["classifications"][0]["poll_url"], headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in short.headers
