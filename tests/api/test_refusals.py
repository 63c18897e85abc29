"""What a caller reads when a request is refused: which field, and what to do about it, in words of our own.

The trap: words of a library's, which speak of its types and change with its version."""

import gzip
import json
import time
from typing import Any

import pytest
from fastapi.routing import APIRoute

from builders import ServiceUnderTest
from pcs.http.app import FEATURES
from pcs.http.bodies import BodyRoute

CLASSIFY = "/api/v1/products/classify"
PRODUCTS = "/api/v1/products"
LIST = "/api/v1/classifications"
BULK = "/api/v1/classifications/bulk"
WEBHOOKS = "/api/v1/webhooks"
JSON = {"Content-Type": "application/json"}
GOOD = {"product": {"name": "T-shirt"}, "schedules": ["US-HTS"]}


async def details(running: ServiceUnderTest, method: str, path: str, body: Any = None, **query: str) -> dict[str, str]:
    response = await running.live.request(method, path, json=body, params=query)
    assert response.status_code == 400, response.text
    return {detail["field"]: detail["message"] for detail in response.json()["error"]["details"]}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({}, {"product": "is required", "schedules": "is required"}),
        ([], {"body": "must be an object"}),
        ({**GOOD, "product": "T-shirt"}, {"product": "must be an object"}),
        ({**GOOD, "product": {"name": 5}}, {"product.name": "must be a string"}),
        ({**GOOD, "product": {"name": " "}}, {"product.name": "must not be empty"}),
        ({**GOOD, "product": {"name": "x" * 501}}, {"product.name": "must have at most 500 characters"}),
        (
            {**GOOD, "product": {"name": "x", "country_of_origin": "uk"}},
            {"product.country_of_origin": "use GB for the United Kingdom"},
        ),
        ({**GOOD, "schedules": "US-HTS"}, {"schedules": "must be an array"}),
        ({**GOOD, "schedules": []}, {"schedules": "must not be empty"}),
        ({**GOOD, "schedules": ["UK"]}, {"schedules[0]": "must be 'US-HTS' or 'EU-CN'"}),
        ({**GOOD, "schedules": ["EU-CN", "EU-CN"]}, {"schedules": "must not name a schedule twice"}),
        ({**GOOD, "schedules": ["EU-CN"] * 3}, {"schedules": "must have at most 2 items"}),
    ],
)
async def test_every_wrong_field_is_named_with_what_it_must_be(
    running: ServiceUnderTest, body: Any, told: dict[str, str]
) -> None:
    assert await details(running, "POST", CLASSIFY, body) == told


async def test_every_item_of_a_batch_is_named(running: ServiceUnderTest) -> None:
    goods: list[Any] = [{"name": "T-shirt"}, {}, 5, {"name": "T-shirt", "identifier": "x" * 256}]
    assert await details(running, "POST", BULK, {"products": goods, "schedules": ["US-HTS"]}) == {
        "products[1].name": "is required",
        "products[2]": "must be an object",
        "products[3].identifier": "must have at most 255 characters",
    }
    too_many = {"products": [{"name": "T-shirt"}] * 101, "schedules": ["US-HTS"]}
    assert await details(running, "POST", BULK, too_many) == {"products": "must have at most 100 items"}


@pytest.mark.parametrize(
    ("path", "query", "told"),
    [
        (LIST, {"limit": "0"}, {"limit": "must be at least 1"}),
        (LIST, {"limit": "101"}, {"limit": "must be at most 100"}),
        (LIST, {"limit": "ten"}, {"limit": "must be a whole number"}),
        (LIST, {"cursor": "x"}, {"cursor": "must be the `next_cursor` of a page"}),
        (LIST, {"status": "done"}, {"status": "must be 'pending', 'processing', 'completed' or 'failed'"}),
        (
            "/api/v1/rulings",
            {"code": "6"},
            {"code": "must have 2, 4, 6, 8 or 10 digits, dots allowed, such as 6109.10"},
        ),
        ("/api/v1/usage", {"from": "2026-02-30"}, {"from": "must be a date such as 2026-01-31"}),
        (
            "/api/v1/usage",
            {"from": "2026-02-02", "to": "2026-02-01"},
            {"from": "must not be after 2026-02-01, the last day"},
        ),
    ],
)
async def test_every_wrong_part_of_a_query_is_named(
    running: ServiceUnderTest, path: str, query: dict[str, str], told: dict[str, str]
) -> None:
    assert await details(running, "GET", path, **query) == told


async def test_a_webhook_s_wrong_fields_are_named(running: ServiceUnderTest) -> None:
    body = {"url": "https://hooks.example.com", "secret": "two words", "event_types": ["all"], "enabled": "yes"}
    told = "classification.completed classification.failed classification.reviewed batch.completed schedule.outdated"
    kinds = ", ".join(f"'{kind}'" for kind in told.split()) + " or 'webhook.test'"
    assert await details(running, "PUT", WEBHOOKS, body) == {
        "secret": "must have printable ASCII characters only, without spaces",
        "event_types[0]": f"must be {kinds}",
        "enabled": "must be true or false",
    }


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"name": "T-shirt",}', "expecting property name enclosed in double quotes at line 1, column 20"),
        (b'{"name": NaN}', "NaN is not a JSON value"),
        (b'{"name": "T-shirt", "x": -Infinity}', "-Infinity is not a JSON value"),
        (b'{"name": "\xff"}', "it is not UTF-8 at byte 10"),
        ('{"name": "T-shirt"}'.encode("utf-16"), "it is not UTF-8 at byte 0"),
        (b'{"name": "T-shirt", "x": ' + b"9" * 5000 + b"}", "a number has too many digits"),
    ],
)
async def test_a_body_that_is_not_json_is_refused_with_the_place(
    running: ServiceUnderTest, body: bytes, told: str
) -> None:
    response = await running.live.post(PRODUCTS, content=body, headers=JSON)
    assert response.status_code == 400
    [detail] = response.json()["error"]["details"]
    assert detail["field"] == "body"
    assert detail["message"].startswith(f"must be valid JSON: {told}"), detail


async def test_a_byte_order_mark_is_forgiven(running: ServiceUnderTest) -> None:
    response = await running.live.post(PRODUCTS, content=b'\xef\xbb\xbf{"name": "T-shirt"}', headers=JSON)
    assert response.status_code == 201


@pytest.mark.parametrize(
    "headers",
    [{"Content-Type": "text/plain"}, {"Content-Type": "application/json", "Content-Encoding": "gzip"}, {}],
)
async def test_a_body_that_comes_as_something_else_is_a_415(running: ServiceUnderTest, headers: dict[str, str]) -> None:
    body = json.dumps({"name": "T-shirt"}).encode()
    content = gzip.compress(body) if "Content-Encoding" in headers else body
    assert (await running.live.post(PRODUCTS, content=content, headers=headers)).status_code == 415


@pytest.mark.parametrize(
    ("method", "path", "status", "told"),
    [
        ("GET", "/api/v1/nowhere", 404, "There is nothing at /api/v1/nowhere: /docs lists every endpoint."),
        ("GET", f"{PRODUCTS}/", 404, f"There is nothing at {PRODUCTS}/: leave out the slash at its end."),
        ("DELETE", PRODUCTS, 405, "DELETE does not work here: use GET or HEAD or POST."),
        ("GET", f"{WEBHOOKS}/test", 405, "GET does not work here: use POST."),
        ("OPTIONS", WEBHOOKS, 405, "OPTIONS does not work here: use DELETE or GET or HEAD or PUT."),
    ],
)
async def test_a_wrong_path_or_method_is_answered_with_the_right_one(
    running: ServiceUnderTest, method: str, path: str, status: int, told: str
) -> None:
    response = await running.live.request(method, path)
    assert response.status_code == status
    assert response.json()["error"]["message"] == told


async def test_an_empty_field_is_one_that_was_not_supplied(running: ServiceUnderTest) -> None:
    goods = {"name": "T-shirt", "description": "", "identifier": " ", "country_of_origin": ""}
    created = (await running.live.post(PRODUCTS, json=goods)).json()
    assert set(created) == {"id", "name", "country_of_origin", "created_at"}
    assert created["country_of_origin"] is None


async def test_a_body_made_to_be_slow_is_refused_at_once(running: ServiceUnderTest) -> None:
    marks = "a" + "\u0301" * 40_000 + "\u0327" * 40_000
    began = time.process_time()
    unclosed = await running.live.post(f"{CLASSIFY}", content=b'"' + b'\\"' * 120_000, headers=JSON)
    heaped = await running.live.post(PRODUCTS, json={"name": marks, "description": marks[:200]})
    assert [unclosed.status_code, heaped.status_code] == [400, 400]
    assert time.process_time() - began < 5


async def test_an_endpoint_takes_the_body_that_was_parsed_before(running: ServiceUnderTest) -> None:
    """Every router whose endpoints take a body hands on what the guard has read."""
    for feature in FEATURES:
        for route in feature.router.routes:
            assert isinstance(route, APIRoute)
            assert route.body_field is None or isinstance(route, BodyRoute), route.path
    keyed = {**JSON, "Idempotency-Key": "once"}
    first = await running.live.post(PRODUCTS, content=b'\xef\xbb\xbf{"name": "T-shirt"}', headers=keyed)
    second = await running.live.post(PRODUCTS, content=b' {"name":"T-shirt"} ', headers=keyed)
    assert first.status_code == second.status_code == 201
    assert first.json() == second.json()
