"""Attributes of products: kept and returned wherever a product is, read by the engine, within their limits."""

import dataclasses

import pytest

from builders import ServiceUnderTest
from determinations import determine
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.products.attributes import checked
from pcs.products.model import ProductFields
from pcs.tariff.revision import ScheduleName

CLASSIFY = "/api/v1/products/classify"
SAID = {"outer_material": "leather", "season": "Sommer 2026"}


async def test_they_are_kept_and_returned_on_every_way(running: ServiceUnderTest) -> None:
    seen: list[Product] = []

    def note(product: Product, schedule: ScheduleName, _decided: object = ()) -> Determination:
        seen.append(product)
        return determine(product, schedule)

    body = {"product": {"name": "Handbag", "attributes": {**SAID, "empty": " "}}, "schedules": ["US-HTS"]}
    sent = (await running.live.post(CLASSIFY, json=body)).json()
    assert sent["product"]["attributes"] == SAID
    bulk = {"products": [{"name": "Handbag", "attributes": SAID}], "schedules": ["US-HTS"]}
    assert (await running.live.post("/api/v1/classifications/bulk", json=bulk)).status_code == 202
    await running.work(note)
    ours = [product.attributes for product in seen if product.name == "Handbag"]  # others may have left work
    assert ours == [tuple(sorted(SAID.items()))] * 2
    [one] = sent["classifications"]
    assert (await running.live.get(f"/api/v1/classifications/{one['id']}")).json()["product"]["attributes"] == SAID
    assert (await running.live.get(f"/api/v1/products/{sent['product_id']}")).json()["attributes"] == SAID
    listed = (await running.live.get("/api/v1/products")).json()["data"]
    assert [product["attributes"] for product in listed] == [SAID, SAID]
    plain = await running.classify(name="no attributes")
    assert "attributes" not in plain["product"]


@pytest.mark.parametrize(
    ("attributes", "field", "told"),
    [
        ({f"name {number}": "x" for number in range(51)}, "product.attributes", "at most 50"),
        ({"n" * 65: "x"}, "product.attributes", "at most 64"),
        ({"": "x"}, "product.attributes", "must each have a name"),
        ({"material": "x" * 501}, "product.attributes", "more than 500"),
        ({"material ": "x", "material": "y"}, "product.attributes", "twice"),
        ({"material": 1}, "product.attributes.material", "must be a string"),
        (["leather"], "product.attributes", "must be an object"),
    ],
)
async def test_what_is_over_a_limit_is_told(
    running: ServiceUnderTest, attributes: object, field: str, told: str
) -> None:
    body = {"product": {"name": "Handbag", "attributes": attributes}, "schedules": ["US-HTS"]}
    refused = await running.live.post(CLASSIFY, json=body)
    assert refused.status_code == 400
    [detail] = refused.json()["error"]["details"]
    assert detail["field"] == field
    assert told in detail["message"]


def test_the_limits_hold_at_their_edge() -> None:
    given = {"n" * 62 + f"{number:02}": "v" * 500 for number in range(50)}
    assert checked(given.items()) == given


def test_an_engine_product_has_them_all() -> None:
    fields = ProductFields("Handbag", "d", "SKU", "IT", "it", attributes=SAID)
    assert fields.described() == dataclasses.replace(
        Product("Handbag", "d", "IT", "it"), attributes=tuple(sorted(SAID.items()))
    )
