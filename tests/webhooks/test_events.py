"""Every event can be listed and followed, endpoint or not: each once and in order, over breaks and late commits."""

import asyncio
import contextlib
import datetime as dt
import json
from collections.abc import AsyncIterator

import httpx2
import pytest

from builders import ServiceUnderTest
from in_process import served
from pcs.base.database import Transaction
from pcs.base.tenancy import Environment, Tenant
from pcs.cli.event_stream import Message, messages
from pcs.organizations.model import FULL_ACCESS, Scope
from pcs.webhooks import service as webhooks
from pcs.webhooks.model import Event, EventType

EVENTS = "/api/v1/events"
CLIENT = httpx2.AsyncClient(trust_env=False, limits=httpx2.Limits(max_connections=None, max_keepalive_connections=0))


@pytest.fixture
async def address(running: ServiceUnderTest) -> AsyncIterator[str]:
    async with served(running.service) as url:
        yield url


def tenant(running: ServiceUnderTest) -> Tenant:
    return Tenant(running.organization_id, Environment.LIVE)


async def tell(running: ServiceUnderTest, transaction: Transaction, name: str) -> None:
    body = json.dumps({"event": "webhook.test", "data": {"name": name}}).encode()
    event = Event(tenant(running), EventType.WEBHOOK_TEST, "", body)
    await webhooks.tell(transaction, event.tenant, [(event, [])], now=running.clock())


async def happen(running: ServiceUnderTest, *names: str) -> None:
    for name in names:
        async with running.service.database.begin() as transaction:
            await tell(running, transaction, name)


class Follower:
    """A stream that is being read."""

    def __init__(self, response: httpx2.Response) -> None:
        self._parts = response.aiter_raw()
        self._unread = b""
        self._waiting: list[Message] = []
        self.last_id = ""

    async def read(self, count: int) -> list[Message]:
        """So many events; what only says how far the stream is comes by the way."""
        found: list[Message] = []
        async with asyncio.timeout(5):
            while len(found) < count:
                one = await self.next()
                found += [one] if one.kind else []
        return found

    async def next(self) -> Message:
        """The next message, event or not."""
        while not self._waiting:
            whole, end, self._unread = (self._unread + await anext(self._parts)).rpartition(b"\n\n")
            self._waiting = list(messages([whole + end]))
        self.last_id = self._waiting[0].id
        return self._waiting.pop(0)

    async def rest(self) -> bytes:
        """What still comes until the stream ends."""
        async with asyncio.timeout(5):
            return b"".join([part async for part in self._parts])

    async def names(self, count: int) -> list[str]:
        return [json.loads(one.body)["data"]["name"] for one in await self.read(count)]


@contextlib.asynccontextmanager
async def following(
    running: ServiceUnderTest, address: str, query: str = "", *, after: str | None = None, key: str | None = None
) -> AsyncIterator[Follower]:
    headers = {"Accept": "text/event-stream", "Authorization": f"Bearer {key or running.live_key}"}
    headers |= {"Last-Event-ID": after} if after else {}
    async with CLIENT.stream("GET", f"{address}{EVENTS}{query}", headers=headers) as response:
        assert response.status_code == 200, await response.aread()
        yield Follower(response)


async def test_what_happens_is_streamed_as_receivers_get_it_without_any_endpoint(
    running: ServiceUnderTest, address: str
) -> None:
    async with following(running, address) as follower:
        accepted = await running.classify(name="Cup\u2028 of\x85 tin")
        await running.work()
        [told] = await follower.read(1)
    assert told.kind == "classification.completed"
    body = json.loads(told.body)
    assert body["data"]["id"] == accepted["classifications"][0]["id"]
    [listed] = (await running.live.get(EVENTS)).json()["data"]
    assert (listed["id"], listed["body"], listed["subject_id"]) == (told.id, body, body["data"]["id"])
    [row] = await running.rows("SELECT body FROM events WHERE id = :id", id=told.id)
    assert bytes(row["body"]) == told.body


async def test_a_stream_goes_on_after_the_last_id_and_repeats_nothing(running: ServiceUnderTest, address: str) -> None:
    async with following(running, address) as follower:
        await happen(running, "a", "b", "c")
        assert await follower.names(2) == ["a", "b"]
        after = follower.last_id
    await happen(running, "d", "e")
    async with following(running, address, after=after) as follower:
        await happen(running, "f")
        assert await follower.names(4) == ["c", "d", "e", "f"]


async def test_a_stream_that_ended_before_its_first_event_loses_none(running: ServiceUnderTest, address: str) -> None:
    for first in ("before anything", "after something"):
        async with following(running, address) as follower:
            assert not (await follower.next()).kind
        await happen(running, first)
        async with following(running, address, after=follower.last_id) as follower:
            assert await follower.names(1) == [first]


async def test_what_is_committed_late_is_neither_lost_nor_told_before_its_place(
    running: ServiceUnderTest, address: str
) -> None:
    """Its id is older than that of an event which everybody could see meanwhile."""
    async with following(running, address) as follower:
        async with running.service.database.begin() as slow:
            await tell(running, slow, "began first")
            await happen(running, "ended first")
            await asyncio.sleep(0.4)
        told = await follower.names(2)
    assert sorted(told) == ["began first", "ended first"]
    async with following(
        running, address, f"?since={running.clock() - dt.timedelta(hours=1):%Y-%m-%dT%H:%M:%SZ}"
    ) as again:
        assert await again.names(2) == told


async def test_a_stream_may_begin_earlier_and_take_some_kinds_only(running: ServiceUnderTest, address: str) -> None:
    await happen(running, "long ago")
    running.clock.turn(hours=2)
    since = f"{running.clock():%Y-%m-%dT%H:%M:%SZ}"
    await happen(running, "now")
    async with following(running, address, f"?since={since}") as follower:
        assert await follower.names(1) == ["now"]
    async with following(running, address, "?types=classification.failed,classification.completed") as follower:
        await happen(running, "unasked")
        await running.classify()
        await running.work()
        [only] = await follower.read(1)
        assert only.kind == "classification.completed"
    listed = (await running.live.get(EVENTS, params={"types": "webhook.test", "since": since})).json()["data"]
    assert [one["body"]["data"]["name"] for one in listed] == ["unasked", "now"]


async def test_streams_hold_no_connection_of_the_database(running: ServiceUnderTest, address: str) -> None:
    many = 5 * running.service.settings.database_pool_size
    async with contextlib.AsyncExitStack() as streams:
        followers = [await streams.enter_async_context(following(running, address)) for _ in range(many)]
        pools = [running.service.database._transactions.pool, running.service.database._statements.pool]  # noqa: SLF001
        async with asyncio.timeout(5):
            while any(pool.checkedout() for pool in pools):  # type: ignore[attr-defined] # noqa: ASYNC110
                await asyncio.sleep(0.01)  # each looks once
        await happen(running, "for all")
        assert await asyncio.gather(*(one.names(1) for one in followers)) == [["for all"]] * many


async def test_a_stream_ends_with_its_key_and_a_stopping_server(running: ServiceUnderTest, address: str) -> None:
    key = await running.key()
    async with following(running, address, key=key) as revoked, following(running, address) as stopped:
        digest = running.service.secrets.digest(key)
        await running.run("UPDATE api_keys SET revoked_at = now() WHERE digest = :digest", digest=digest)
        await happen(running, "after the key's end")
        assert await stopped.names(1) == ["after the key's end"]
        assert b"event:" not in await revoked.rest()
        running.service.bells.end()
        assert b"event:" not in await stopped.rest()


async def test_events_are_their_organization_s_and_need_the_scope(running: ServiceUnderTest, address: str) -> None:
    await happen(running, "live")
    assert (await running.sandbox.get(EVENTS)).json()["data"] == []
    without = await running.key(scopes=FULL_ACCESS - {Scope.WEBHOOKS_READ})
    headers = {"Authorization": f"Bearer {without}", "Accept": "text/event-stream"}
    async with httpx2.AsyncClient(trust_env=False) as client:
        assert (await client.get(address + EVENTS, headers=headers)).status_code == 403
        headers["Authorization"] = f"Bearer {running.live_key}"
        refused = await client.get(address + EVENTS, headers=headers | {"Last-Event-ID": "4711"})
        assert refused.json()["error"]["details"][0]["field"] == "Last-Event-ID"
        refused = await client.get(address + EVENTS, headers=headers, params={"types": "batch.begun"})
        assert "batch.completed" in refused.json()["error"]["details"][0]["message"]


async def test_pages_of_events_hold_each_once(running: ServiceUnderTest) -> None:
    await happen(running, *"abcde")
    seen, cursor = [], None
    while True:
        page = (await running.live.get(EVENTS, params={"limit": 2} | ({"cursor": cursor} if cursor else {}))).json()
        seen += [one["body"]["data"]["name"] for one in page["data"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == list("edcba")
