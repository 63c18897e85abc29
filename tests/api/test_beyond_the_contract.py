"""What users expect beyond the contract: lists, reviews, cancelling, records, usage, who am I."""

import dataclasses
import re
from typing import Any

import pytest

from builders import ServiceUnderTest, client
from determinations import determine, with_result
from pcs.base.tenancy import Environment
from pcs.bootstrap import build_service
from pcs.engine.determination import Determination, Step
from pcs.engine.product import Product
from pcs.organizations.model import Scope
from pcs.tariff.revision import ScheduleName
from receiver import Receiver

LIST = "/api/v1/classifications"
BULK = "/api/v1/classifications/bulk"


def doubt(product: Product, schedule: ScheduleName, _: object = ()) -> Determination:
    """An engine that doubts whatever is called doubtful, and says how it went about it."""
    steps = (Step("read", "one noun", 1.5), Step("choose", "6109", 2.5))
    doubtful = "doubtful" in product.name
    found = with_result(determine(product, schedule), needs_review=doubtful)
    return dataclasses.replace(found, steps=steps)


async def walk(running: ServiceUnderTest, path: str, **query: Any) -> list[Any]:
    """Every item of a list, page by page."""
    items: list[Any] = []
    while True:
        page = (await running.live.get(path, params=query)).json()
        items += page["data"]
        assert page["has_more"] == (page["next_cursor"] is not None)
        if not page["has_more"]:
            return items
        query["cursor"] = page["next_cursor"]


async def test_the_reference_shows_code_as_code_and_not_in_backticks(running: ServiceUnderTest) -> None:
    page = (await running.live.get("/docs")).text
    assert "`" not in re.sub(r"<pre>.*?</pre>", "", page, flags=re.DOTALL)  # an example is the body as it is
    assert page.count("<code>") > 50


async def test_a_list_walked_page_by_page_has_everything_once_newest_first(running: ServiceUnderTest) -> None:
    products = [{"name": f"T-shirt {number}", "identifier": f"SKU-{number % 2}"} for number in range(7)]
    batch = (await running.live.post(BULK, json={"products": products, "schedules": ["US-HTS", "EU-CN"]})).json()
    expected = [one["id"] for one in reversed(batch["classifications"])]
    for limit in (1, 5, 14, 100):
        assert [one["id"] for one in await walk(running, LIST, limit=limit)] == expected
    assert [one["name"] for one in await walk(running, "/api/v1/products", limit=3)] == [
        f"T-shirt {number}" for number in reversed(range(7))
    ]
    assert len(await walk(running, "/api/v1/products", identifier="SKU-1")) == 3
    assert [one["batch_id"] for one in await walk(running, BULK, limit=1)] == [batch["batch_id"]]


async def test_a_page_stays_where_it_was_while_more_is_added(running: ServiceUnderTest) -> None:
    first, second = await running.classify(name="first"), await running.classify(name="second")
    page = (await running.live.get(LIST, params={"limit": 1})).json()
    await running.classify(name="third")
    following = (await running.live.get(LIST, params={"limit": 1, "cursor": page["next_cursor"]})).json()
    assert page["data"][0]["id"] == second["classifications"][0]["id"]
    assert following["data"][0]["id"] == first["classifications"][0]["id"]


async def test_filters_narrow_a_list(running: ServiceUnderTest) -> None:
    american = await running.classify(schedules=("US-HTS",))
    await running.work()
    running.clock.turn(minutes=5)
    waiting = await running.classify(name="later", schedules=("EU-CN",))
    earlier, later = american["classifications"][0]["id"], waiting["classifications"][0]["id"]
    moment = waiting["product"]["created_at"].replace("Z", "+00:00")
    for query, expected in (
        ({"status": "completed"}, [earlier]),
        ({"status": "pending"}, [later]),
        ({"schedule": "EU-CN"}, [later]),
        ({"identifier": "SKU-1"}, [later, earlier]),
        ({"identifier": "SKU-2"}, []),
        ({"product_id": american["product_id"]}, [earlier]),
        ({"batch_id": "none"}, []),
        ({"created_before": moment}, [earlier]),
        ({"created_after": american["product"]["created_at"]}, [later]),
    ):
        assert [one["id"] for one in await walk(running, LIST, **query)] == expected, query


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": "0"}, "limit"),
        ({"limit": "101"}, "limit"),
        ({"limit": "1.0"}, "limit"),
        ({"cursor": "nonsense"}, "cursor"),
        ({"status": "done"}, "status"),
        ({"schedule": "UK"}, "schedule"),
        ({"created_after": "yesterday"}, "created_after"),
        ({"created_after": "2026-01-01T00:00:00"}, "created_after"),
        ({"needs_review": "1"}, "needs_review"),
        ({"identifier": "a\0b"}, "identifier"),
    ],
)
async def test_a_query_that_cannot_be_used_is_a_400(
    running: ServiceUnderTest, query: dict[str, str], field: str
) -> None:
    response = await running.live.get(LIST, params=query)
    assert response.status_code == 400
    assert [detail["field"] for detail in response.json()["error"]["details"]] == [field]


async def test_a_review_stands_beside_the_result_and_empties_the_list_of_doubtful_ones(
    running: ServiceUnderTest,
) -> None:
    accepted = await running.classify(name="doubtful T-shirt")
    await running.classify()
    await running.work(doubt)
    [doubtful] = await walk(running, LIST, needs_review="true")
    path = f"{LIST}/{accepted['classifications'][0]['id']}"
    said = {"decision": "corrected", "code": "6109.90.1007", "note": "Half polyester"}
    reviewed = (await running.live.put(f"{path}/review", json=said)).json()
    assert reviewed["result"] == doubtful["result"]
    assert reviewed["review"]["code"] == "6109901007"
    assert reviewed["review"]["reviewed_by"].startswith("key_")
    assert await walk(running, LIST, needs_review="true") == []
    assert len(await walk(running, LIST, needs_review="false")) == 2
    accepted_now = {"decision": "accepted", "note": "All cotton after all"}
    again = (await running.live.put(f"{path}/review", json=accepted_now)).json()
    assert set(again["review"]) == {"decision", "note", "reviewed_by", "reviewed_at"}
    assert (await running.live.get(path)).json() == again


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"decision": "corrected"}, "code"),
        ({"decision": "accepted", "code": "6109100012"}, "code"),
        ({"decision": "corrected", "code": "6109"}, "code"),
        ({"decision": "perhaps"}, "decision"),
        ({"decision": "rejected", "note": "x" * 2001}, "note"),
    ],
)
async def test_a_review_that_makes_no_sense_is_a_400(running: ServiceUnderTest, said: Any, field: str) -> None:
    accepted = await running.classify()
    await running.work()
    response = await running.live.put(f"{LIST}/{accepted['classifications'][0]['id']}/review", json=said)
    assert response.status_code == 400
    assert [detail["field"] for detail in response.json()["error"]["details"]] == [field]


async def test_what_is_not_final_cannot_be_reviewed_nor_a_failure_accepted(running: ServiceUnderTest) -> None:
    accepted = await running.classify(name="thing")
    path = f"{LIST}/{accepted['classifications'][0]['id']}/review"
    assert (await running.live.put(path, json={"decision": "accepted"})).status_code == 409
    await running.work()
    assert (await running.live.put(path, json={"decision": "accepted"})).json()["error"]["code"] == "CONFLICT"
    corrected = await running.live.put(path, json={"decision": "corrected", "code": "6109.10.0004"})
    assert corrected.json()["review"]["code"] == "6109100004"


async def test_a_cancelled_classification_stays_cancelled_and_is_announced_as_failed(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    accepted = await running.classify(options={"webhook_url": receiver.url})
    path = f"{LIST}/{accepted['classifications'][0]['id']}"
    cancelled = (await running.live.post(f"{path}/cancel")).json()
    assert (cancelled["status"], cancelled["error"]["code"]) == ("failed", "CANCELLED")
    await running.work()
    assert (await running.live.get(path)).json() == cancelled
    assert (await running.live.post(f"{path}/cancel")).status_code == 409
    [sent] = receiver.received
    assert sent.headers["x-service-event"] == "classification.failed"
    assert sent.json["data"]["error"]["code"] == "CANCELLED"
    query = "SELECT credits FROM credit_entries WHERE organization_id = :id"
    assert await running.rows(query, id=running.organization_id) == [{"credits": 1}]


async def test_a_batch_whose_last_one_is_cancelled_is_completed_and_announced_once(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    body = {
        "products": [{"name": "T-shirt"}],
        "schedules": ["US-HTS", "EU-CN"],
        "options": {"webhook_url": receiver.url},
    }
    batch = (await running.live.post(BULK, json=body)).json()
    for one in batch["classifications"]:
        await running.live.post(f"{one['poll_url']}/cancel")
    await running.work()
    read = (await running.live.get(batch["poll_url"])).json()
    assert (read["status"], read["summary"]["failed"]) == ("completed", 2)
    events = [sent.headers["x-service-event"] for sent in receiver.received]
    assert sorted(events) == ["batch.completed", "classification.failed", "classification.failed"]


async def test_the_steps_are_shown_to_those_who_ask(running: ServiceUnderTest) -> None:
    accepted = await running.classify()
    await running.work(doubt)
    path = accepted["classifications"][0]["poll_url"]
    assert "steps" not in (await running.live.get(path)).json()
    steps = (await running.live.get(path, params={"expand": "steps"})).json()["steps"]
    assert steps[0] == {"name": "read", "outcome": "one noun", "milliseconds": 1.5}
    assert (await running.live.get(path, params={"expand": "all"})).status_code == 400


async def test_the_printable_record_says_everything_and_runs_nothing(running: ServiceUnderTest) -> None:
    accepted = await running.classify(name="<script>alert(1)</script> T-shirt", schedules=("US-HTS", "EU-CN"))
    await running.work(doubt)
    for place, code in enumerate(("6109100012", "61091000")):
        response = await running.live.get(f"{accepted['classifications'][place]['poll_url']}/report")
        assert response.headers["Content-Type"] == "text/html; charset=utf-8"
        assert "default-src 'none'" in response.headers["Content-Security-Policy"]
        assert "<script" not in response.text
        for told in (code, "&lt;script&gt;", "N123456", "It is a T-shirt.", "2026-test", "one noun"):
            assert told in response.text, told
    pending = await running.classify()
    assert "pending" in (await running.live.get(f"{pending['classifications'][0]['poll_url']}/report")).text


async def test_usage_counts_by_day_and_schedule_and_the_sandbox_is_apart(running: ServiceUnderTest) -> None:
    await running.run("UPDATE organizations SET credit_limit = 10 WHERE id = :id", id=running.organization_id)
    await running.classify(schedules=("US-HTS", "EU-CN"))
    await running.work()
    running.clock.turn(days=40)
    await running.classify()
    usage = (await running.live.get("/api/v1/usage")).json()
    assert (usage["credits_consumed"], usage["credits_consumed_in_all"], usage["credit_limit"]) == (1, 3, 10)
    assert usage["to"] == running.clock().date().isoformat()
    everything = (await running.live.get("/api/v1/usage", params={"from": "2026-01-01"})).json()
    assert [(day["schedule"], day["credits_consumed"], day["completed"]) for day in everything["days"]] == [
        ("EU-CN", 1, 1),
        ("US-HTS", 1, 1),
        ("US-HTS", 1, 0),
    ]
    sandbox = (await running.sandbox.get("/api/v1/usage")).json()
    assert (sandbox["credits_consumed_in_all"], sandbox["credit_limit"]) == (0, None)


async def test_every_key_may_ask_whose_it_is(running: ServiceUnderTest) -> None:
    token = await running.key(scopes=frozenset({Scope.USAGE_READ}))
    async with client(running.service, Environment.LIVE, token) as caller:
        me = (await caller.get("/api/v1/me")).json()
        assert (await caller.get(LIST)).status_code == 403
    assert me["organization"]["id"] == running.organization_id
    assert (me["environment"], me["rate_limit_per_minute"]) == ("live", 100)
    assert me["api_key"]["scopes"] == ["usage:read"]
    assert token not in str(me)
    assert token.endswith(me["api_key"]["last_four"])


async def test_a_product_shows_its_classifications_only_to_those_who_may_read_them(running: ServiceUnderTest) -> None:
    accepted = await running.classify()
    token = await running.key(scopes=frozenset({Scope.PRODUCTS_READ}))
    async with client(running.service, Environment.LIVE, token) as caller:
        assert (await caller.get(f"/api/v1/products/{accepted['product_id']}")).status_code == 403
        assert (await caller.get("/api/v1/products")).status_code == 200


async def test_the_rate_limit_headers_are_there_even_without_a_database(running: ServiceUnderTest) -> None:
    settings = dataclasses.replace(running.service.settings, database_url="postgresql://127.0.0.1:1/none")
    service = build_service(settings)
    async with client(service, Environment.LIVE, running.live_key) as caller:
        response = await caller.get(LIST)
    await service.database.close()
    assert response.status_code == 503
    assert response.headers["X-RateLimit-Limit"] == "100"
    assert "X-RateLimit-Reset" in response.headers


async def test_a_result_and_its_report_tell_what_was_understood_and_what_else_is_likely(
    running: ServiceUnderTest,
) -> None:
    accepted = await running.classify()
    await running.work()
    result = (await running.poll(accepted))["result"]
    cotton = {"part": "", "material": "cotton", "share": 60.0}
    assert result["reading"] == {
        "goods": "t-shirt", "made_of": [cotton], "measures": [], "denied": ["printed"], "purpose": []
    }  # fmt: skip
    assert (result["likely_headings"], result["likely_subheadings"]) == (["6109", "6205"], ["610910"])
    assert result["hierarchy"][0]["confidence"] == 0.9
    report = (await running.live.get(f"{accepted['classifications'][0]['poll_url']}/report")).text
    told = " ".join(re.sub(r"<[^>]+>", " ", report).split())
    assert "What we understood The goods t-shirt Made of cotton 60% Not printed" in told
    assert re.search(r"Likely headings .* 6109 \w+.* 6205 \w+.*Likely subheadings .* 610910 \w+", told)
