"""What senders attach for themselves comes back everywhere, and lists find it. The trap: metadata that changes a code,
or that another organization can search."""

from typing import Any

import pytest

from builders import ServiceUnderTest, build_service_under_test
from receiver import Receiver

ORDER = {"order": "4711", "where": "Halle 3 / Süd"}
GOODS = {"name": "T-shirt", "identifier": "SKU-1", "metadata": ORDER}


async def listed(running: ServiceUnderTest, path: str, **query: str) -> list[Any]:
    response = await running.live.get(f"/api/v1/{path}", params=query)
    assert response.status_code == 200, response.text
    return response.json()["data"]  # type: ignore[no-any-return] # any JSON


async def test_a_product_s_metadata_comes_back_everywhere(running: ServiceUnderTest, receiver: Receiver) -> None:
    kinds = ["classification.completed", "classification.failed", "classification.reviewed", "batch.completed"]
    await running.live.put("/api/v1/webhooks", json={"url": receiver.url, "event_types": kinds})
    goods = [GOODS, {"name": "thing", "metadata": {"order": "4712"}}]
    body = {"products": goods, "schedules": ["US-HTS"]}
    batch = (await running.live.post("/api/v1/classifications/bulk", json=body)).json()
    await running.work()
    polled = (await running.live.get(batch["poll_url"])).json()["classifications"]
    assert [one["metadata"] for one in polled] == [ORDER, {"order": "4712"}]
    one = (await running.live.get(f"/api/v1/classifications/{polled[0]['id']}")).json()
    product = (await running.live.get(f"/api/v1/products/{one['product_id']}")).json()
    assert one["metadata"] == product["metadata"] == product["classifications"][0]["metadata"] == ORDER
    assert "metadata" not in one["product"]
    await running.live.put(f"/api/v1/classifications/{one['id']}/review", json={"decision": "accepted"})
    await running.work()
    told = {sent.json["event"]: sent.json["data"] for sent in receiver.received}
    assert set(told) == set(kinds)
    assert told["classification.completed"]["metadata"] == told["classification.reviewed"]["metadata"] == ORDER
    assert told["classification.failed"]["metadata"] == {"order": "4712"}
    assert [item["metadata"] for item in told["batch.completed"]["classifications"]] == [ORDER, {"order": "4712"}]


async def test_a_request_s_metadata_is_its_classifications_and_not_the_product_s(running: ServiceUnderTest) -> None:
    accepted = await running.classify(product=GOODS, metadata={"run": "1"})
    assert accepted["product"]["metadata"] == ORDER
    assert (await running.poll(accepted))["metadata"] == {"run": "1"}
    existing = {"product_id": accepted["product_id"], "schedules": ["US-HTS"]}
    for more, carried in (({}, ORDER), ({"metadata": {"run": "2"}}, {"run": "2"})):
        again = (await running.live.post("/api/v1/classifications", json={**existing, **more})).json()
        assert (await running.poll(again))["metadata"] == carried
    plain = await running.classify()
    assert "metadata" not in await running.poll(plain)


async def test_lists_find_what_carries_all_that_is_asked_for(running: ServiceUnderTest) -> None:
    first = await running.classify(product=GOODS)
    await running.classify(product={"name": "T-shirt", "metadata": {"order": "4711"}})
    await running.classify()
    for path in ("products", "classifications"):
        assert len(await listed(running, path)) == 3
        assert len(await listed(running, path, **{"metadata[order]": "4711"})) == 2
        both = await listed(running, path, **{"metadata[order]": "4711", "metadata[where]": ORDER["where"]})
        assert [one["metadata"] for one in both] == [ORDER]
        assert await listed(running, path, **{"metadata[order]": "471"}) == []
        page = {"metadata[order]": "4711", "limit": "1"}
        body = (await running.live.get(f"/api/v1/{path}", params=page)).json()
        rest = await listed(running, path, **page, cursor=body["next_cursor"])
        assert rest[0]["id"] != body["data"][0]["id"]
    assert first["product_id"] in {
        one["id"] for one in await listed(running, "products", **{"metadata[order]": "4711"})
    }
    assert (await running.sandbox.get("/api/v1/products", params={"metadata[order]": "4711"})).json()["data"] == []
    stranger = await build_service_under_test(running.service.settings, running.clock)
    for path in ("products", "classifications"):
        assert await listed(stranger, path, **{"metadata[order]": "4711"}) == []
    await stranger.close()
    assert (await running.live.get("/api/v1/products", params={"metadata[order]": "\x00"})).status_code == 400


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({f"key {number}": "" for number in range(21)}, "at most 20 keys"),
        ({"k" * 41: "x"}, "1 to 40 characters"),
        ({"": "x"}, "1 to 40 characters"),
        ({"order": "v" * 501}, "more than 500 characters"),
        ({"order": 4711}, "string"),
        ({"a\u0301": "1", "\u00e1": "2"}, "twice"),
    ],
)
async def test_too_much_is_refused_with_what_is_allowed(
    running: ServiceUnderTest, metadata: dict[str, Any], said: str
) -> None:
    for path, body, field in (
        ("products", {"name": "T-shirt", "metadata": metadata}, "product.metadata"),
        (
            "products/classify",
            {"product": {"name": "T-shirt"}, "schedules": ["US-HTS"], "metadata": metadata},
            "metadata",
        ),
    ):
        response = await running.live.post(f"/api/v1/{path}", json=body)
        assert response.status_code == 400
        [detail] = response.json()["error"]["details"]
        assert detail["field"].startswith(field)
        assert said in detail["message"]
    most = {f"{number:040}": "v" * 500 for number in range(20)}
    assert (await running.live.post("/api/v1/products", json={"name": "x", "metadata": most})).json()[
        "metadata"
    ] == most


async def test_metadata_changes_no_answer(running: ServiceUnderTest) -> None:
    plain = await running.classify()
    tagged = await running.classify(product={"name": "T-shirt", "metadata": {"material": "pure gold"}})
    await running.work()
    assert (await running.poll(plain))["result"] == (await running.poll(tagged))["result"]
