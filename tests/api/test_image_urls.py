"""Addresses of pictures are checked when they are submitted, kept, and shown with the goods. The trap: one that is
fetched here; nothing is fetched before a reviewer with vision is asked, and a signed address is in no log."""

from typing import Any

import pytest

from builders import ServiceUnderTest
from pcs.base.redaction import cleaned

FRONT, BACK = "https://shop.example.com/4711/front.jpg", "https://cdn.example.com/back.png?signature=hush-hush"
GOODS = {"name": "T-shirt", "image_urls": [FRONT, BACK]}


async def test_a_product_s_pictures_come_back_with_it_and_its_classifications(running: ServiceUnderTest) -> None:
    accepted = await running.classify(product=GOODS)
    assert accepted["product"]["image_urls"] == [FRONT, BACK]
    await running.work()
    polled = await running.poll(accepted)
    product = (await running.live.get(f"/api/v1/products/{accepted['product_id']}")).json()
    assert polled["product"]["image_urls"] == product["image_urls"] == [FRONT, BACK]
    again = await running.live.post(
        "/api/v1/classifications", json={"product_id": product["id"], "schedules": ["EU-CN"]}
    )
    assert (await running.poll(again.json()))["product"]["image_urls"] == [FRONT, BACK]
    plain = await running.classify()
    assert "image_urls" not in plain["product"]
    assert "image_urls" not in (await running.poll(plain))["product"]


async def test_each_product_of_a_batch_has_its_own_pictures(running: ServiceUnderTest) -> None:
    body = {"products": [GOODS, {"name": "Kettle"}], "schedules": ["US-HTS"]}
    batch = (await running.live.post("/api/v1/classifications/bulk", json=body)).json()
    polled = [(await running.live.get(one["poll_url"])).json() for one in batch["classifications"]]
    assert [one["product"].get("image_urls") for one in polled] == [[FRONT, BACK], None]


REFUSED = {
    "ftp://shop.example.com/front.jpg": "must start with",
    "https://me:secret@shop.example.com/front.jpg": "must not carry a user name or password",
    "https://169.254.169.254/latest/meta-data": "must point to a public address",
    "https://shop.example.com/front.jpg#top": "must not carry a fragment",
    f"https://shop.example.com/{'x' * 2_048}": "at most 2048 characters",
}


@pytest.mark.parametrize(("url", "told"), REFUSED.items(), ids=REFUSED.values())
async def test_an_address_where_nothing_may_be_fetched_is_refused_by_its_place(
    running: ServiceUnderTest, url: str, told: str
) -> None:
    goods = {"name": "T-shirt", "image_urls": [FRONT, url]}
    bodies: dict[str, tuple[Any, str]] = {
        "products": ({"product": goods}, "product.image_urls[1]"),
        "products/classify": ({"product": goods, "schedules": ["US-HTS"]}, "product.image_urls[1]"),
        "classifications/bulk": ({"products": [goods], "schedules": ["US-HTS"]}, "products[0].image_urls[1]"),
    }
    for path, (body, field) in bodies.items():
        refused = await running.live.post(f"/api/v1/{path}", json=body)
        assert refused.status_code == 400, path
        [detail] = refused.json()["error"]["details"]
        assert detail["field"] == field
        assert told in detail["message"]


async def test_a_product_has_at_most_four_pictures_and_may_have_none(running: ServiceUnderTest) -> None:
    too_many = await running.live.post("/api/v1/products", json={"name": "T-shirt", "image_urls": [FRONT] * 5})
    assert too_many.status_code == 400
    none = await running.live.post("/api/v1/products", json={"name": "T-shirt", "image_urls": []})
    assert "image_urls" not in none.json()


async def test_the_log_of_requests_and_log_lines_leave_a_signature_out(running: ServiceUnderTest) -> None:
    await running.classify(product=GOODS)
    await running.service.recorder.flush()
    query = "SELECT request_body, response_body FROM logged_requests WHERE organization_id = :whose"
    kept = await running.rows(query, whose=running.organization_id)
    assert [FRONT in body and "signature" not in body for row in kept for body in row.values()] == [True, True]
    assert cleaned("product", GOODS)["image_urls"] == [FRONT, "https://cdn.example.com/back.png"]
