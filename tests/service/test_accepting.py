"""What a request is answered with before any work is done."""

import dataclasses
import datetime as dt
import json
import re

import httpx2
import pytest

from builders import ServiceUnderTest, TurnedClock, build_service_under_test, client
from pcs.base.settings import Settings
from pcs.base.tenancy import Environment
from pcs.bootstrap import build_service
from pcs.http.app import create_app
from pcs.organizations.model import READ_ONLY, TooManyKeysError
from pcs.organizations.tokens import checksum, new_token
from round_trips import counted

CLASSIFY = "/api/v1/products/classify"
GOOD = {"product": {"name": "T-shirt"}, "schedules": ["US-HTS"]}
UNKNOWN = "clf_01jx0000000000000000000000"


async def test_a_product_is_accepted_with_one_stub_for_each_schedule(running: ServiceUnderTest) -> None:
    product = {"name": "  T-shirt ", "identifier": "SKU-1", "country_of_origin": "bd", "colour": "ignored"}
    body = {"product": product, "schedules": ["EU-CN", "US-HTS"]}
    response = await running.live.post(CLASSIFY, json=body)
    assert response.status_code == 202
    accepted = response.json()
    assert set(accepted) == {"product_id", "product", "classifications", "estimated_completion_seconds"}
    assert accepted["product"]["name"] == "T-shirt"
    assert accepted["product"]["country_of_origin"] == "BD"
    assert accepted["product"]["id"] == accepted["product_id"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", accepted["product"]["created_at"])
    assert [stub["schedule"] for stub in accepted["classifications"]] == ["EU-CN", "US-HTS"]
    for stub in accepted["classifications"]:
        assert stub["status"] == "pending"
        assert stub["product_identifier"] == "SKU-1"
        assert stub["poll_url"] == f"/api/v1/classifications/{stub['id']}"
    assert accepted["estimated_completion_seconds"] >= 1


async def test_what_was_not_supplied_is_absent_but_for_the_country(running: ServiceUnderTest) -> None:
    accepted = (await running.live.post(CLASSIFY, json=GOOD)).json()
    assert "identifier" not in accepted["product"]
    assert accepted["product"]["country_of_origin"] is None
    assert "product_identifier" not in accepted["classifications"][0]
    polled = await running.poll(accepted)
    assert polled["product"] == {"name": "T-shirt"}
    assert polled["status"] == "pending"
    assert not {"result", "usage", "error", "completed_at"} & set(polled)


async def test_product_classifications_credits_and_jobs_come_together_or_not_at_all(running: ServiceUnderTest) -> None:
    await running.run("UPDATE organizations SET credit_limit = 3 WHERE id = :id", id=running.organization_id)
    await running.classify(schedules=("US-HTS", "EU-CN"))
    body = {"product": {"name": "One too many"}, "schedules": ["US-HTS", "EU-CN"]}
    response = await running.live.post(CLASSIFY, json=body)
    assert response.status_code == 402
    assert response.json()["error"]["code"] == "INSUFFICIENT_CREDITS"
    where = "WHERE organization_id = :id"
    counted = {
        table: len(await running.rows(f"SELECT 1 FROM {table} {where}", id=running.organization_id))
        for table in ("products", "classifications", "credit_entries")
    }
    assert counted == {"products": 1, "classifications": 2, "credit_entries": 2}
    jobs = await running.rows(
        f"SELECT 1 FROM procrastinate_jobs WHERE id IN (SELECT job_id FROM classifications {where})",
        id=running.organization_id,
    )
    assert len(jobs) == 2


async def test_every_violation_is_named_at_once(running: ServiceUnderTest) -> None:
    body = {
        "product": {"identifier": 7, "country_of_origin": "UK", "description": "x" * 10_001},
        "schedules": ["US-HTS", "UK-GT"],
        "options": {"webhook_url": "https://127.0.0.1.nip.example/" + "x" * 2048},
    }
    response = await running.live.post(CLASSIFY, json=body)
    assert response.status_code == 400
    error = response.json()["error"]
    assert (error["code"], error["type"]) == ("INVALID_REQUEST", "invalid_request_error")
    assert error["request_id"] == response.headers["X-Request-ID"]
    messages = {detail["field"]: detail["message"] for detail in error["details"]}
    assert set(messages) == {
        "product.name",
        "product.identifier",
        "product.country_of_origin",
        "product.description",
        "schedules[1]",
        "options.webhook_url",
    }
    assert "GB" in messages["product.country_of_origin"]


@pytest.mark.parametrize(
    ("content", "field"),
    [
        (b"{", "body"),
        (b"", "body"),
        (b"[]", "body"),
        (b'{"product": {"name": "a\\u0000b"}, "schedules": ["US-HTS"]}', "product.name"),
        (b'{"product": {"name": "\\ud800"}, "schedules": ["US-HTS"]}', "product.name"),
        (b'{"product": {"name": "  "}, "schedules": ["US-HTS"]}', "product.name"),
        (b'{"product": {"name": "x"}, "schedules": []}', "schedules"),
        (b'{"product": {"name": "x"}, "schedules": ["US-HTS", "US-HTS"]}', "schedules"),
        (b'{"product": {"name": "x"}, "schedules": "US-HTS"}', "schedules"),
        (b"[" * 17 + b"]" * 17, "body"),
    ],
)
async def test_a_body_that_cannot_be_used_is_a_400(running: ServiceUnderTest, content: bytes, field: str) -> None:
    headers = {"Content-Type": "application/json"}
    response = await running.live.post(CLASSIFY, content=content, headers=headers)
    assert response.status_code == 400, response.text
    assert [detail["field"] for detail in response.json()["error"]["details"]] == [field]


@pytest.mark.parametrize(
    "url",
    [
        "http://user:secret@example.com/",
        "ftp://example.com/",
        "https://10.0.0.1/",
        "https://[::ffff:192.168.1.1]/",
        "https://2130706433.1.1.1.1/x y",
        "https://0x0a000001/",
        "https://169.254.169.254/latest/meta-data",
        "https://[64:ff9b::1]/",
        "https://224.0.0.1/",
    ],
)
async def test_a_webhook_url_that_we_would_not_call_is_refused_at_once(running: ServiceUnderTest, url: str) -> None:
    response = await running.live.post(CLASSIFY, json={**GOOD, "options": {"webhook_url": url}})
    assert response.status_code == 400
    assert response.json()["error"]["details"][0]["field"] == "options.webhook_url"


async def test_a_body_too_large_or_of_another_type_is_refused(running: ServiceUnderTest) -> None:
    large = json.dumps({**GOOD, "filler": "x" * 300_000}).encode()
    headers = {"Content-Type": "application/json"}
    assert (await running.live.post(CLASSIFY, content=large, headers=headers)).status_code == 413
    headers = {"Content-Type": "text/plain"}
    response = await running.live.post(CLASSIFY, content=b'{"a": 1}', headers=headers)
    assert response.json()["error"]["code"] == "UNSUPPORTED_MEDIA_TYPE"


@pytest.mark.parametrize(
    ("token", "status", "reason"),
    [
        (None, 401, "missing_api_key"),
        ("nonsense", 401, "invalid_api_key"),
        ("svc_live_" + "a" * 38, 401, "invalid_api_key"),
        (new_token(Environment.LIVE), 401, "invalid_api_key"),
        (new_token(Environment.TEST), 403, "wrong_environment"),
    ],
    ids=["missing", "nonsense", "mistyped", "unknown", "misplaced"],
)
async def test_a_bad_key_is_told_why(running: ServiceUnderTest, token: str | None, status: int, reason: str) -> None:
    async with client(running.service, Environment.LIVE, token) as caller:
        response = await caller.get(f"/api/v1/classifications/{UNKNOWN}")
    assert response.status_code == status
    assert response.json()["error"]["reason"] == reason
    assert int(response.headers["X-RateLimit-Limit"]) == 100
    assert response.headers["Cache-Control"] == "no-store"
    if status == 401:
        assert response.headers["WWW-Authenticate"] == "Bearer"


def test_a_key_ends_in_the_checksum_of_all_before_it() -> None:
    token = new_token(Environment.LIVE)
    assert token[-6:] == checksum(token[:-6])
    assert len(token) == len("svc_live_") + 38


async def test_a_key_without_the_scope_is_forbidden(running: ServiceUnderTest) -> None:
    token = await running.key(scopes=READ_ONLY)
    async with client(running.service, Environment.LIVE, token) as caller:
        response = await caller.post(CLASSIFY, json=GOOD)
    assert response.status_code == 403
    assert response.json()["error"]["reason"] == "insufficient_permissions"


async def test_a_revoked_or_expired_key_is_rejected_at_once(running: ServiceUnderTest) -> None:
    path = f"/api/v1/classifications/{UNKNOWN}"
    await running.run("UPDATE api_keys SET expires_at = now() WHERE organization_id = :id", id=running.organization_id)
    assert (await running.live.get(path)).json()["error"]["reason"] == "expired_api_key"
    await running.run("UPDATE api_keys SET revoked_at = now() WHERE organization_id = :id", id=running.organization_id)
    assert (await running.live.get(path)).json()["error"]["reason"] == "revoked_api_key"


async def test_what_is_not_there_or_not_yours_is_not_found(running: ServiceUnderTest) -> None:
    accepted = await running.classify()
    mine = accepted["classifications"][0]["id"]
    for path in (UNKNOWN, "clf_nonsense", "42", mine.replace("clf_", "product_")):
        response = await running.live.get(f"/api/v1/classifications/{path}")
        assert response.status_code == 404
        assert response.json()["error"]["code"] == "NOT_FOUND"
    assert (await running.sandbox.get(f"/api/v1/classifications/{mine}")).status_code == 404
    response = await running.live.get("/api/v1/nowhere")
    assert response.json()["error"]["code"] == "NOT_FOUND"
    assert "X-RateLimit-Remaining" in response.headers


async def test_a_wrong_method_says_which_are_allowed(running: ServiceUnderTest) -> None:
    response = await running.live.patch(CLASSIFY, json={})
    assert response.status_code == 405
    assert response.headers["Allow"] == "POST"
    assert response.json()["error"]["code"] == "METHOD_NOT_ALLOWED"


async def test_requests_beyond_the_limit_wait_for_the_next_window(running: ServiceUnderTest) -> None:
    query = "UPDATE api_keys SET rate_limit = 3 WHERE organization_id = :id"
    await running.run(query, id=running.organization_id)
    path = f"/api/v1/classifications/{UNKNOWN}"
    answers = [await running.live.get(path) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [404, 404, 404, 429]
    assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["2", "1", "0", "0"]
    assert len({answer.headers["X-RateLimit-Reset"] for answer in answers}) == 1
    assert 1 <= int(answers[3].headers["Retry-After"]) <= 60
    assert answers[3].json()["error"]["code"] == "RATE_LIMIT_EXCEEDED"
    running.clock.turn(seconds=61)
    assert (await running.live.get(path)).status_code == 404


async def test_without_a_valid_key_each_network_address_has_its_own_window(running: ServiceUnderTest) -> None:
    app = create_app(running.service, Environment.LIVE)
    for address, expected in (("203.0.113.7", [401] * 100 + [429] * 2), ("203.0.113.8", [401])):
        transport = httpx2.ASGITransport(app, client=(address, 4711))
        async with httpx2.AsyncClient(transport=transport, base_url="http://test") as nobody:
            tokens = [f"Bearer {new_token(Environment.LIVE)}" for _ in expected]
            answers = [await nobody.get("/api/v1/me", headers={"Authorization": token}) for token in tokens]
        assert [answer.status_code for answer in answers] == expected
    assert (await running.live.get("/api/v1/me")).status_code == 200


async def test_text_is_normalised_so_that_what_reads_the_same_is_the_same(running: ServiceUnderTest) -> None:
    goods = {"name": " Cafe\u0301 ", "identifier": "e\u0301"}
    created = (await running.live.post("/api/v1/products", json=goods)).json()
    assert (created["name"], created["identifier"]) == ("Caf\u00e9", "\u00e9")
    for written in ("\u00e9", "e\u0301"):
        found = (await running.live.get("/api/v1/products", params={"identifier": written})).json()["data"]
        assert [one["id"] for one in found] == [created["id"]]


async def test_an_organization_has_at_most_fifty_active_keys(running: ServiceUnderTest) -> None:
    for _ in range(48):  # beside the two that it has
        await running.key()
    with pytest.raises(TooManyKeysError, match="revoke one first"):
        await running.key()
    oldest = "SELECT min(id) FROM api_keys WHERE organization_id = :id"
    await running.run(f"UPDATE api_keys SET revoked_at = now() WHERE id = ({oldest})", id=running.organization_id)
    await running.key()


async def test_a_request_id_is_ours_and_on_everything(running: ServiceUnderTest) -> None:
    seen = set()
    for path in ("/health", "/openapi.json", "/nowhere", "/api/v1/nowhere"):
        response = await running.live.get(path, headers={"X-Request-ID": "theirs"})
        assert re.fullmatch(r"req_[0-9a-z]{26}", response.headers["X-Request-ID"])
        seen.add(response.headers["X-Request-ID"])
    assert len(seen) == 4


async def test_when_a_key_was_used_is_known_to_the_minute(running: ServiceUnderTest) -> None:
    await running.classify()
    query = "SELECT last_used_at FROM api_keys WHERE organization_id = :id AND environment = 'live'"
    [row] = await running.rows(query, id=running.organization_id)
    assert dt.datetime.now(dt.UTC) - row["last_used_at"] < dt.timedelta(minutes=1)


async def test_a_database_that_is_away_is_a_503_and_comes_back(running: ServiceUnderTest) -> None:
    settings = dataclasses.replace(running.service.settings, database_url="postgresql://127.0.0.1:1/none")
    service = build_service(settings)
    async with client(service, Environment.LIVE, running.live_key) as caller:
        response = await caller.post(CLASSIFY, json=GOOD)
        assert response.status_code == 503
        assert response.json()["error"]["code"] == "SERVICE_UNAVAILABLE"
        assert response.headers["Retry-After"] == "5"
        assert (await caller.get("/health")).status_code == 200
        ready = await caller.get("/ready")
        assert ready.status_code == 503
        assert ready.json()["checks"] == {"database": False, "migrations": False, "worker": False}
    await service.database.close()


async def test_a_fault_of_ours_is_a_500_that_says_nothing_of_the_inside(running: ServiceUnderTest) -> None:
    await running.run("ALTER TABLE products RENAME TO hidden")
    try:
        response = await running.live.post(CLASSIFY, json=GOOD)
    finally:
        await running.run("ALTER TABLE hidden RENAME TO products")
    assert response.status_code == 500
    error = response.json()["error"]
    assert error["code"] == "INTERNAL_ERROR"
    assert error["request_id"] == response.headers["X-Request-ID"]
    assert "products" not in response.text
    assert "X-RateLimit-Limit" in response.headers


async def test_the_document_of_the_interface_names_every_endpoint_and_no_validation_error_of_the_framework(
    running: ServiceUnderTest,
) -> None:
    document = (await running.live.get("/openapi.json")).json()
    assert {CLASSIFY, "/api/v1/classifications/{classification_id}", "/api/v1/webhooks"} <= set(document["paths"])
    assert "HTTPValidationError" not in document["components"]["schemas"]


async def test_each_classification_has_the_job_that_is_about_it_and_the_later_goes_later(
    running: ServiceUnderTest,
) -> None:
    accepted = await running.classify(schedules=("US-HTS", "EU-CN"))
    later = await running.classify(schedules=("EU-CN", "US-HTS"))
    asked = [stub["id"] for stub in (*accepted["classifications"], *later["classifications"])]
    jobs = await running.rows(
        "SELECT c.id, job.priority FROM classifications c JOIN procrastinate_jobs job ON job.id = c.job_id"
        " AND job.args ->> 'subject' = c.id WHERE c.organization_id = :id ORDER BY job.id",
        id=running.organization_id,
    )
    assert [(job["id"], job["priority"]) for job in jobs] == list(zip(asked, (0, -1, -2, -3), strict=True))


async def test_an_accepted_request_waits_three_times_for_the_database_and_once_more_with_an_idempotency_key(
    settings: Settings,
) -> None:
    """The key; all that is stored, with the key again; the end."""
    async with counted(settings) as (proxy, through):
        under_test = await build_service_under_test(through, TurnedClock())
        for _ in range(2):  # connections are opened, and the key's use is noted
            await under_test.classify()
        taken: list[list[int]] = [[], [], []]
        for turn in range(4):  # what is done beside requests, such as waking a worker, may fall into some of them
            once = {"Idempotency-Key": f"once {turn}"}
            for place, headers in enumerate(({}, once, once)):
                before = proxy.round_trips
                answer = await under_test.live.post(CLASSIFY, json=GOOD, headers=headers)
                assert answer.status_code == 202
                taken[place].append(proxy.round_trips - before)
        await under_test.close()
    assert list(map(min, taken)) == [3, 4, 3]
