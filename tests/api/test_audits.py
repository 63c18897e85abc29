"""Audits: products with the codes that they are filed under, over HTTP, worker and database."""

from typing import Any

import pytest

from builders import ServiceUnderTest

CODES = {"US-HTS": "6109.10.00.12", "EU-CN": "6110 20 99"}


def products(*codes: dict[str, str]) -> dict[str, Any]:
    return {"products": [{"name": f"Shirt {place}", "declared_codes": one} for place, one in enumerate(codes)]}


async def test_an_audit_classifies_under_the_declared_schedules_alone_and_puts_the_riskiest_first(
    running: ServiceUnderTest,
) -> None:
    body = products({"US-HTS": "6109.10.00.12"}, CODES, {"EU-CN": "42022100"})
    accepted = (await running.live.post("/api/v1/audits", json=body)).json()
    assert accepted["summary"]["total"] == 4
    assert [one["schedule"] for one in accepted["classifications"]] == ["US-HTS", "EU-CN", "US-HTS", "EU-CN"]
    await running.work()
    audit = (await running.live.get(accepted["poll_url"])).json()
    assert audit["status"] == "completed"
    assert audit["totals"]["agrees"] == 2
    assert audit["totals"]["differs"] == 2
    assert [one["filed"]["agreement"] for one in audit["classifications"]] == ["differs", "differs", "agrees", "agrees"]
    assert audit["classifications"][0]["filed"]["confidence"] == 0.9
    usage = (await running.live.get("/api/v1/usage")).json()
    assert usage["credits_consumed"] == 4, "one for each declared code"


async def test_the_declared_code_comes_back_with_the_product_and_its_comparison_with_each_answer(
    running: ServiceUnderTest,
) -> None:
    goods = {"name": "Shirt", "declared_codes": CODES}
    body = {"product": goods, "schedules": ["US-HTS", "EU-CN"]}
    accepted = (await running.live.post("/api/v1/products/classify", json=body)).json()
    plain = {"US-HTS": "6109100012", "EU-CN": "61102099"}
    assert accepted["product"]["declared_codes"] == plain
    await running.work()
    stored = (await running.live.get(f"/api/v1/products/{accepted['product_id']}")).json()
    assert stored["declared_codes"] == plain
    american, european = sorted(stored["classifications"], key=lambda one: one["schedule"], reverse=True)
    assert american["product"]["declared_codes"] == plain
    assert (american["filed"]["said"], american["filed"]["risk"]) == ("agrees", 0.0)
    assert (european["filed"]["said"], european["filed"]["agreeing_digits"]) == ("differs", 2)
    assert "“" in european["filed"]["reason"]


async def test_goods_without_an_answer_are_told_as_not_compared(running: ServiceUnderTest) -> None:
    body = {"products": [{"name": "thing", "declared_codes": {"US-HTS": "6109.10.00.12"}}]}
    accepted = (await running.live.post("/api/v1/audits", json=body)).json()
    await running.work()
    audit = (await running.live.get(accepted["poll_url"])).json()
    [one] = audit["classifications"]
    assert (one["status"], one["filed"]["agreement"]) == ("failed", "not_compared")
    assert audit["totals"]["not_compared"] == 1


async def test_the_sandbox_compares_too_and_keeps_its_audits_to_itself(running: ServiceUnderTest) -> None:
    accepted = (await running.sandbox.post("/api/v1/audits", json=products(CODES))).json()
    await running.work()
    audit = (await running.sandbox.get(accepted["poll_url"])).json()
    assert all(one["filed"]["agreement"] for one in audit["classifications"])
    assert (await running.live.get(accepted["poll_url"])).status_code == 404
    assert (await running.live.get("/api/v1/audits")).json()["data"] == []
    assert [one["batch_id"] for one in (await running.sandbox.get("/api/v1/audits")).json()["data"]] == [
        accepted["batch_id"]
    ]


async def test_a_batch_that_is_no_audit_is_not_read_as_one(running: ServiceUnderTest) -> None:
    body = {"products": [{"name": "Shirt"}], "schedules": ["US-HTS"]}
    batch = (await running.live.post("/api/v1/classifications/bulk", json=body)).json()
    assert (await running.live.get(f"/api/v1/audits/{batch['batch_id']}")).status_code == 404
    assert (await running.live.get("/api/v1/audits")).json()["data"] == []


@pytest.mark.parametrize(
    ("codes", "field", "told"),
    [
        ({}, "products[1].declared_codes", "is needed"),
        ({"US-HTS": "610910001"}, "products[1].declared_codes.US-HTS", "put back the 0 in front"),
        ({"US-HTS": "T-shirt"}, "products[1].declared_codes.US-HTS", "must be a tariff code"),
    ],
)
async def test_one_wrong_declared_code_rejects_all_with_its_place_and_what_to_do(
    running: ServiceUnderTest, codes: dict[str, str], field: str, told: str
) -> None:
    refused = await running.live.post("/api/v1/audits", json=products(CODES, codes))
    assert refused.status_code == 400
    [detail] = refused.json()["error"]["details"]
    assert detail["field"] == field
    assert told in detail["message"]
    assert (await running.live.get("/api/v1/products")).json()["data"] == []
