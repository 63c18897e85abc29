"""The request log: what each key asked for and was told, without secrets, without slowing or losing anything else."""

import asyncio
import dataclasses
import datetime as dt
from typing import Any

import pytest

from builders import ServiceUnderTest, client, new_key
from pcs.base import ids
from pcs.base.metrics import Metrics
from pcs.base.tenancy import Environment, Tenant
from pcs.organizations import service as organizations
from pcs.organizations.model import Scope
from pcs.requests.bodies import kept_text, kept_value
from pcs.requests.model import LoggedRequest
from pcs.requests.recorder import MOST_WAITING, Recorder
from pcs.worker.sweep import sweep

SECRET = "whsec_bm90LWEtcmVhbC1zZWNyZXQ="
ENDPOINT = {"url": "https://user:hunter22@hooks.example.com/?token=abcdef", "secret": SECRET}


async def logged(running: ServiceUnderTest, **query: Any) -> list[Any]:
    await running.service.recorder.flush()
    response = await running.live.get("/api/v1/requests", params={"limit": 100, **query})
    assert response.status_code == 200, response.text
    data: list[Any] = response.json()["data"]
    return data


async def rows(running: ServiceUnderTest) -> list[dict[str, Any]]:
    """What the database has of the organization's requests."""
    whose = running.organization_id
    return await running.rows("SELECT * FROM logged_requests WHERE organization_id = :whose", whose=whose)


async def read(running: ServiceUnderTest, request_id: str) -> Any:
    await running.service.recorder.flush()
    response = await running.live.get(f"/api/v1/requests/{request_id}")
    assert response.status_code == 200, response.text
    return response.json()


async def test_a_request_is_listed_with_its_key_its_answer_and_its_time(running: ServiceUnderTest) -> None:
    refused = await running.live.post("/api/v1/products", json={"product": {"name": ""}}, params={"token": "abcdef"})
    [line] = await logged(running, method="POST")
    key = (await running.live.get("/api/v1/me")).json()["api_key"]
    assert line["request_id"] == refused.headers["X-Request-ID"] == refused.json()["error"]["request_id"]
    assert line["api_key"] == {"id": key["id"], "name": key["name"], "last_four": key["last_four"]}
    assert (line["method"], line["path"], line["status"]) == ("POST", "/api/v1/products", 400)
    assert line["query"] == "token=[redacted]"
    assert 0 < line["duration_ms"] < 10_000
    detail = await read(running, line["request_id"])
    assert detail["request_body"] == {"product": {"name": ""}}
    assert detail["response_body"]["error"]["details"] == refused.json()["error"]["details"]


async def test_each_filter_takes_and_leaves(running: ServiceUnderTest) -> None:
    before = running.clock()
    await running.live.get("/api/v1/me")
    await running.live.get("/api/v1/classifications/clf_none")
    await running.live.delete("/api/v1/webhooks")
    other = client(running.service, Environment.LIVE, await running.key())
    me = (await other.get("/api/v1/me")).json()
    assert [one["path"] for one in await logged(running, status="4xx")] == [
        "/api/v1/webhooks",
        "/api/v1/classifications/clf_none",
    ]
    assert [one["status"] for one in await logged(running, status="404", method="DELETE")] == [404]
    assert [one["path"] for one in await logged(running, path="/api/v1/class")] == ["/api/v1/classifications/clf_none"]
    assert [one["path"] for one in await logged(running, api_key=me["api_key"]["id"])] == ["/api/v1/me"]
    assert len(await logged(running, created_after=before.isoformat().replace("+00:00", "Z"))) >= 4
    assert await logged(running, created_before="2026-01-01T00:00:00Z") == []
    assert (await running.live.get("/api/v1/requests?status=9xx")).status_code == 400
    await other.aclose()


async def test_pages_of_the_log_follow_each_other(running: ServiceUnderTest) -> None:
    for _ in range(5):
        await running.live.delete("/api/v1/webhooks")
    await running.service.recorder.flush()
    asked = {"limit": "2", "method": "DELETE"}
    seen: list[str] = []
    while True:
        found = (await running.live.get("/api/v1/requests", params=asked)).json()
        seen += [one["request_id"] for one in found["data"]]
        if not found["has_more"]:
            break
        asked["cursor"] = found["next_cursor"]
    assert len(set(seen)) == len(seen) == 5
    assert seen == sorted(seen, reverse=True)


async def test_secrets_keys_and_passwords_reach_neither_the_log_nor_the_database(running: ServiceUnderTest) -> None:
    accepted = await running.live.put("/api/v1/webhooks", json=ENDPOINT)
    assert accepted.status_code in {200, 400}
    await running.live.post("/api/v1/products", json={"product": {"name": f"sent with {running.live_key}"}})
    await running.live.get("/api/v1/products", params={"q": f"Bearer {running.live_key}", "api_key": "abcdef123"})
    [line] = await logged(running, method="PUT")
    body = (await read(running, line["request_id"]))["request_body"]
    assert body["secret"] == "[redacted]"
    assert body["url"] == "https://user:[redacted]@hooks.example.com/?token=[redacted]"
    await running.service.recorder.flush()
    stored = str(await rows(running))
    assert [one for one in (SECRET, "hunter22", "abcdef", running.live_key[:14]) if one in stored] == []


async def test_only_the_refusal_is_kept_of_what_was_read(running: ServiceUnderTest) -> None:
    await running.live.get("/api/v1/me")
    [line] = await logged(running, path="/api/v1/me")
    detail = await read(running, line["request_id"])
    assert (detail["request_body"], detail["response_body"]) == (None, None)


async def test_a_revoked_key_s_requests_are_in_the_log_of_its_organization(running: ServiceUnderTest) -> None:
    token = await running.key()
    await running.run("UPDATE api_keys SET revoked_at = created_at WHERE last_four = :four", four=token[-4:])
    refused = client(running.service, Environment.LIVE, token)
    assert (await refused.get("/api/v1/me")).status_code == 401
    await refused.aclose()
    [line] = await logged(running, status="401")
    assert line["api_key"]["last_four"] == token[-4:]


async def test_nobody_else_sees_a_request(running: ServiceUnderTest) -> None:
    await running.live.get("/api/v1/me")
    await running.service.recorder.flush()
    [line] = await logged(running, path="/api/v1/me")
    async with running.service.database.begin() as transaction:
        other = await organizations.create_organization(transaction, "Other", now=running.clock())
    token = await new_key(running.service, Tenant(other.id, Environment.LIVE))
    stranger = client(running.service, Environment.LIVE, token)
    for who in (stranger, running.sandbox):
        assert (await who.get(f"/api/v1/requests/{line['request_id']}")).status_code == 404
        assert line["request_id"] not in (await who.get("/api/v1/requests")).text
    await stranger.aclose()


async def test_bodies_take_every_read_scope(running: ServiceUnderTest) -> None:
    posted = await running.live.post("/api/v1/products", json={"product": {"name": "mug"}})
    await running.service.recorder.flush()
    few = client(running.service, Environment.LIVE, await running.key(scopes=frozenset({Scope.USAGE_READ})))
    assert (await few.get("/api/v1/requests")).status_code == 200
    assert (await few.get(f"/api/v1/requests/{posted.headers['X-Request-ID']}")).status_code == 403
    await few.aclose()


@pytest.mark.parametrize(("days", "bodies"), [(0, True), (7, False)])
async def test_the_log_or_its_bodies_can_be_switched_off(running: ServiceUnderTest, days: int, bodies: bool) -> None:
    service = running.service
    recorder = Recorder(service.database, Metrics(), wanted=days > 0, bodies=bodies)
    switched = client(dataclasses.replace(service, recorder=recorder), Environment.LIVE, running.live_key)
    await switched.post("/api/v1/products", json={"product": {"name": ""}})
    await switched.aclose()
    await recorder.flush()
    found = [(one["request_body"], one["response_body"]) for one in await rows(running)]
    assert found == ([(None, None)] if days else [])


def line(number: int = 0) -> LoggedRequest:
    tenant = Tenant("org", Environment.LIVE)
    now = dt.datetime.now(dt.UTC)
    return LoggedRequest(ids.new_id(ids.REQUEST), tenant, "key", "GET", f"/{number}", "", 200, 1.0, now)


async def test_while_the_database_is_away_lines_wait_to_a_limit_and_the_rest_is_counted() -> None:
    class Away:
        def autocommit(self) -> Any:
            raise TimeoutError

    metrics = Metrics()
    recorder = Recorder(Away(), metrics, wanted=True, bodies=True)  # type: ignore[arg-type]
    for number in range(MOST_WAITING + 7):
        recorder.add(line(number))
    await asyncio.wait_for(recorder.flush(), 5)
    assert "pcs_requests_unlogged_total 7.0" in metrics.exposition().decode()
    recorder.add(line())
    assert "pcs_requests_unlogged_total 8.0" in metrics.exposition().decode()


async def test_what_waits_is_stored_when_the_process_stops(running: ServiceUnderTest) -> None:
    recorder = running.service.recorder
    async with recorder.running():
        await running.live.get("/api/v1/me")
    assert [one["path"] for one in await rows(running)] == ["/api/v1/me"]


async def test_what_is_older_than_the_log_keeps_is_swept(running: ServiceUnderTest) -> None:
    await running.live.get("/api/v1/me")
    await running.service.recorder.flush()
    await sweep(running.service)
    assert len(await rows(running)) == 1
    running.clock.turn(days=7, minutes=1)
    await sweep(running.service)
    assert await rows(running) == []


@pytest.mark.parametrize(
    "body",
    [
        {"products": [{"name": "x" * 5_000} for _ in range(100)]},
        [[[[[0] * 99] * 99] * 99] * 99] * 99,
        {str(number): "y" * 90 for number in range(10_000)},
        "z" * 1_000_000,
    ],
    ids=["products", "lists in lists", "names", "text"],
)
def test_what_is_kept_of_a_body_is_short_however_large_it_is(body: object) -> None:
    kept = kept_text(body)
    assert kept is not None
    assert "…" in kept
    assert len(kept) < 10_000


def test_what_is_short_is_kept_as_it_is() -> None:
    body = {"products": [{"name": "mug", "made": True, "grams": 1.5, "origin": None}], "schedules": ["US-HTS"]}
    assert kept_value(body) == body
