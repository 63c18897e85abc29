"""What the palette finds. The trap: another organization's goods, or another environment's."""

from typing import Any

from dashboard.visitor import Office, Visitor


async def found(visitor: Visitor, words: str) -> list[dict[str, Any]]:
    answer = await visitor.client.get("/dashboard/live/find", params={"q": words})
    assert answer.status_code == 200, answer.text
    return answer.json()  # type: ignore[no-any-return] # any JSON


async def test_codes_goods_and_ids_are_found_and_lead_to_their_pages(office: Office) -> None:
    visitor = await office.signed_in()
    accepted = await office.running.classify(product={"name": "Cotton T-shirt", "identifier": "SKU-77"})
    await office.running.work()
    one, product = accepted["classifications"][0]["id"], accepted["product_id"]
    assert await found(visitor, one) == [{"words": f"Open {one}", "href": f"/dashboard/live/classifications/{one}"}]
    assert [each["href"] for each in await found(visitor, product.upper())] == [f"/dashboard/live/products/{product}"]
    for words in ("SKU-77", "cotton t"):
        goods = {each["href"]: each["words"] for each in await found(visitor, words)}
        assert goods[f"/dashboard/live/classifications/{one}"].startswith("Cotton T-shirt · SKU-77 · ")
    codes = await found(visitor, "6109.10")
    assert codes[0]["href"] == "/dashboard/live/schedules/US-HTS/codes/610910"
    assert codes[0]["words"].startswith("6109.10 · US-HTS · ")
    assert "/dashboard/live/schedules/EU-CN/codes/610910" in [each["href"] for each in codes]
    for each in (*codes, *await found(visitor, "SKU-77")):
        assert (await visitor.open(each["href"])).status_code == 200
    assert await found(visitor, "S") == await found(visitor, "") == []


async def test_nobody_finds_what_is_another_s_and_a_stranger_finds_nothing(office: Office) -> None:
    visitor = await office.signed_in()
    await office.running.classify(product={"name": "Cotton T-shirt", "identifier": "SKU-77"})
    test = await visitor.client.get("/dashboard/test/find", params={"q": "SKU-77"})
    assert test.json() == []
    stranger = office.visitor()
    assert (await stranger.client.get("/dashboard/live/find", params={"q": "SKU-77"})).status_code == 303
    assert (await visitor.client.get("/dashboard/live/find", params={"q": "x" * 5_000})).status_code == 422
