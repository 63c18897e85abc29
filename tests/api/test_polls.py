"""An answer that is ready is given only while nothing of it, of the key or of the limit has changed."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx2
import psycopg
import pytest

from builders import ServiceUnderTest, build_service_under_test
from determinations import determine, with_result
from pcs.base.tenancy import Environment
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.organizations.model import Scope
from pcs.organizations.tokens import new_token
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

MENS, PLAIN = "6109100012", "6109100004"
Change = Callable[[ServiceUnderTest, str], Awaitable[Any]]


def by_size(product: Product, schedule: ScheduleName, _decided: object = ()) -> Determination:
    """An engine that takes goods of size M for others."""
    found = determine(product, schedule)
    return with_result(found, code=Code(PLAIN)) if "size M" in product.name else found


@pytest.fixture
async def neighbour(running: ServiceUnderTest) -> AsyncIterator[ServiceUnderTest]:
    """Another organization on the same database."""
    other = await build_service_under_test(running.service.settings, running.clock)
    yield other
    await other.close()


def path(classification_id: str) -> str:
    return f"/api/v1/classifications/{classification_id}"


async def reviewed(running: ServiceUnderTest, one: str) -> None:
    await running.live.put(f"{path(one)}/review", json={"decision": "accepted"})


async def corrected_twice(running: ServiceUnderTest, one: str) -> None:
    for code, note in ((PLAIN, "women's"), (MENS, "men's, after all")):
        said = {"decision": "corrected", "code": code, "note": note}
        (await running.live.put(f"{path(one)}/review", json=said)).raise_for_status()


async def other_variant(running: ServiceUnderTest, _: str) -> None:
    await running.classify(name="T-shirt, size M")
    await running.work(by_size)


async def assigned(running: ServiceUnderTest, one: str) -> None:
    await running.run("UPDATE classifications SET assigned_to = 'b@example.com' WHERE id = :id", id=one)


@pytest.mark.parametrize("change", [reviewed, corrected_twice, other_variant, assigned])
async def test_what_changes_is_in_the_next_poll(running: ServiceUnderTest, change: Change) -> None:
    accepted = await running.classify(name="T-shirt, size L")
    one = accepted["classifications"][0]["id"]
    pending = [(await running.live.get(path(one))).json() for _ in range(2)]
    assert pending[0] == pending[1]
    assert pending[1]["status"] == "pending"
    await running.work(by_size)
    before = [(await running.live.get(path(one))).json() for _ in range(2)]
    assert before[0] == before[1]
    assert before[1]["status"] == "completed"
    await change(running, one)
    after = [(await running.live.get(path(one))).json() for _ in range(2)]
    listed = (await running.live.get("/api/v1/classifications")).json()["data"]
    assert after[0] == after[1] == next(each for each in listed if each["id"] == one)
    assert after[1] != before[1]


async def test_each_poll_is_admitted_anew(running: ServiceUnderTest) -> None:
    accepted = await running.classify()
    address = path(accepted["classifications"][0]["id"])
    first, second = [await running.live.get(address) for _ in range(2)]
    assert second.json() == first.json()
    assert int(second.headers["X-RateLimit-Remaining"]) == int(first.headers["X-RateLimit-Remaining"]) - 1
    assert second.headers["X-Request-ID"] != first.headers["X-Request-ID"]
    assert set(second.headers) == set(first.headers)
    [key] = await running.rows(
        "SELECT id FROM api_keys WHERE organization_id = :id AND environment = 'live'", id=running.organization_id
    )
    await running.run("UPDATE api_keys SET revoked_at = now() WHERE id = :id", id=key["id"])
    revoked = await running.live.get(address)
    assert (revoked.status_code, revoked.json()["error"]["reason"]) == (401, "revoked_api_key")


async def test_an_answer_that_is_ready_is_for_its_owner_with_the_right_alone(
    running: ServiceUnderTest, neighbour: ServiceUnderTest
) -> None:
    accepted = await running.classify()
    address = path(accepted["classifications"][0]["id"])
    assert [(await running.live.get(address)).status_code for _ in range(2)] == [200, 200]
    writing = await running.key(scopes=frozenset({Scope.CLASSIFICATIONS_WRITE}))
    sandbox = await running.key(Environment.TEST)
    for token, status in ((neighbour.live_key, 404), (writing, 403), (sandbox, 403), ("svc_live_nobody", 401)):
        asked = await running.live.get(address, headers={"Authorization": f"Bearer {token}"})
        assert asked.status_code == status
    assert (await running.live.get(address)).status_code == 200


async def test_the_limit_holds_for_answers_that_are_ready(running: ServiceUnderTest) -> None:
    accepted = await running.classify()
    address = path(accepted["classifications"][0]["id"])
    await running.run("UPDATE api_keys SET rate_limit = 3 WHERE organization_id = :id", id=running.organization_id)
    running.clock.turn(minutes=2)
    answers = [await running.live.get(address) for _ in range(5)]
    assert [one.status_code for one in answers] == [200, 200, 200, 429, 429]
    assert answers[-1].headers["X-RateLimit-Remaining"] == "0"


async def test_a_poll_asks_the_database_once(running: ServiceUnderTest, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    execute = psycopg.AsyncCursor.execute

    async def heard(self: Any, query: Any, *arguments: Any, **more: Any) -> Any:
        asked.append(str(query))
        return await execute(self, query, *arguments, **more)

    accepted = await running.classify()
    address = path(accepted["classifications"][0]["id"])
    await running.live.get(address)
    monkeypatch.setattr(psycopg.AsyncCursor, "execute", heard)
    await running.live.get(address)
    assert len([one for one in asked if "clock_timestamp" not in one and "pg_notify" not in one]) == 1


async def test_polls_that_come_together_are_each_answered_as_if_alone(
    running: ServiceUnderTest, neighbour: ServiceUnderTest
) -> None:
    mine = path((await running.classify())["classifications"][0]["id"])
    theirs = path((await neighbour.classify())["classifications"][0]["id"])
    revoked = await running.key()
    await running.run(
        "UPDATE api_keys SET revoked_at = now() WHERE last_four = :four AND organization_id = :id",
        four=revoked[-4:],
        id=running.organization_id,
    )
    await running.run("UPDATE api_keys SET rate_limit = 20 WHERE organization_id = :id", id=neighbour.organization_id)
    neighbour.clock.turn(minutes=2)
    nobody = new_token(Environment.LIVE)
    senders = [running.live_key] * 25 + [neighbour.live_key] * 25 + [revoked] * 3 + [nobody] * 3

    async def poll(token: str, address: str) -> httpx2.Response:
        return await running.live.get(address, headers={"Authorization": f"Bearer {token}"})

    answers = await asyncio.gather(*(poll(token, (mine, theirs)[place % 2]) for place, token in enumerate(senders)))
    told = [one.status_code for one in answers]
    assert [told[place] for place in range(25)] == [200 if place % 2 == 0 else 404 for place in range(25)]
    limited = Counter(told[25:50])
    assert limited[429] == 5
    assert limited[200] + limited[404] == 20
    assert told[50:] == [401] * 6
    assert [one.json()["error"]["reason"] for one in answers[50:]] == ["revoked_api_key"] * 3 + ["invalid_api_key"] * 3
    left = [int(one.headers["X-RateLimit-Remaining"]) for one in answers[:25]]
    assert sorted(left, reverse=True) == list(range(max(left), max(left) - 25, -1))


async def test_a_poll_whose_caller_went_away_takes_no_other_along(running: ServiceUnderTest) -> None:
    address = path((await running.classify())["classifications"][0]["id"])
    polls = [asyncio.create_task(running.live.get(address)) for _ in range(10)]
    await asyncio.sleep(0)
    polls[0].cancel()
    polls[5].cancel()
    answers = await asyncio.gather(*polls, return_exceptions=True)
    assert [getattr(one, "status_code", None) for one in answers] == [None, *[200] * 4, None, *[200] * 4]
    assert (await running.live.get(address)).status_code == 200
