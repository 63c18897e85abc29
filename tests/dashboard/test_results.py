"""How an answer is shown: no more certain than it is, in a broker's words, and found by any of its names."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

import pcs
from dashboard.visitor import Office, Visitor
from determinations import determine, with_result
from pcs.engine.determination import Determination, Step
from pcs.engine.product import Product
from pcs.engine.reading.reading import reading_of
from pcs.engine.reading.telling import understood
from pcs.engine.result import Alternative, Level
from pcs.tariff.additional_duties import AdditionalDuty
from pcs.tariff.code import Code
from pcs.tariff.duties import SpecialRate
from pcs.tariff.revision import ScheduleName

BASE = "/dashboard/live"
TEMPLATES = [*Path(pcs.__file__).parent.rglob("templates/*.html")]
NOT_OURS = (
    "For your eye",
    "person's eye",
    "What else it could be",
    ">Words<",
    "Holds to",
    "Notes of the law",
    "Answered with a code",
    "can be declared",
    "Below it",
    "Looks<",
    "Mend ",
    "Tell another address",
    "Make a link",
)


async def answer_with(office: Office, confidence: float | None, *, needs_review: bool, **more: Any) -> dict[str, Any]:
    """A completed classification with this confidence."""

    def unsure(product: Product, schedule: ScheduleName, _decided: object = ()) -> Determination:
        return with_result(determine(product, schedule), confidence=confidence, **more)

    accepted = await office.running.classify()
    await office.running.run(
        "UPDATE organizations SET review_below = :below WHERE id = :id",
        below=int(needs_review),
        id=office.running.organization_id,
    )
    await office.running.work(unsure)
    return dict(accepted)


async def badges(visitor: Visitor, accepted: dict[str, Any]) -> dict[str, list[str]]:
    """What each page that shows the answer says of how it stands."""
    one, product = accepted["classifications"][0]["id"], accepted["product_id"]
    paths = (BASE, f"{BASE}/classifications", f"{BASE}/classifications/{one}", f"{BASE}/products/{product}")
    pages = {path: (await visitor.open(path)).text for path in (*paths, f"{BASE}/classifications/{one}/report")}
    return {path: re.findall(r'<span class="badge badge-[^"]+">([^<]+)<', text) for path, text in pages.items()}


async def test_an_answer_under_ten_percent_is_not_offered_as_one(office: Office) -> None:
    visitor = await office.signed_in()
    accepted = await answer_with(office, 0.01, needs_review=True)
    for path, said in (await badges(visitor, accepted)).items():
        assert said == ["Not enough information"], path
    page = await visitor.open(f"{BASE}/classifications/{accepted['classifications'][0]['id']}")
    assert re.findall(r'data-copy="(\d+)"', page.text) == []
    assert "badge-completed" not in page.text
    assert "do not declare it" in visitor.text


async def test_an_answer_that_needs_review_says_so_and_is_not_green(office: Office) -> None:
    visitor = await office.signed_in()
    accepted = await answer_with(office, 0.4, needs_review=True)
    for path, said in (await badges(visitor, accepted)).items():
        assert said == ["Needs review"], path


async def test_an_answer_that_is_sure_enough_is_completed(office: Office) -> None:
    visitor = await office.signed_in()
    accepted = await answer_with(office, 0.9, needs_review=False)
    for path, said in (await badges(visitor, accepted)).items():
        assert said == ["Completed"], path
    page = await visitor.open(f"{BASE}/classifications/{accepted['classifications'][0]['id']}")
    assert re.findall(r'data-copy="(\d+)"', page.text) == ["6109100012"]


async def test_the_reliable_digits_of_a_doubtful_code_are_bold_and_the_rest_is_dimmed(office: Office) -> None:
    visitor = await office.signed_in()
    levels = (Level(Code("6109"), "T-shirts", 0.95), Level(Code("610910"), "Of cotton", 0.9))
    accepted = await office.running.classify()
    query = "UPDATE organizations SET review_below = 0.8 WHERE id = :id"
    await office.running.run(query, id=office.running.organization_id)
    await office.running.work(lambda *asked: with_result(determine(*asked), confidence=0.6, hierarchy=levels))
    address = f"{BASE}/classifications/{accepted['classifications'][0]['id']}"
    assert '<strong>6109.10</strong><span class="dim">.00.12</span>' in (await visitor.open(address)).text
    await visitor.send(f"{address}/review", decision="accepted")
    assert '<span class="dim">' not in (await visitor.follow()).text


async def test_no_alternative_is_shown_above_the_answer(office: Office) -> None:
    visitor = await office.signed_in()
    other = Alternative(Code("6109901007"), "Other", 0.62, "wool")
    accepted = await answer_with(office, 0.31, needs_review=True, alternatives=(other,))
    page = await visitor.open(f"{BASE}/classifications/{accepted['classifications'][0]['id']}")
    assert "62%" not in page.text
    assert "31%" in page.text


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_pages_speak_as_brokers_do(template: Path) -> None:
    text = template.read_text("utf-8")
    assert [words for words in NOT_OURS if words in text] == []


async def test_a_search_for_an_id_leads_to_what_it_names(office: Office) -> None:
    visitor = await office.signed_in()
    accepted = await office.running.classify(product={"name": "Lamp", "identifier": "LAMP/7"})
    body = {"products": [{"name": "One"}, {"name": "Two"}], "schedules": ["US-HTS"]}
    batch = (await office.running.live.post("/api/v1/classifications/bulk", json=body)).json()["batch_id"]
    one, product = accepted["classifications"][0]["id"], accepted["product_id"]
    for asked, place in ((one, "classifications"), (f" {one.upper()} ", "classifications"), (product, "products")):
        answer = await visitor.client.get(f"{BASE}/classifications", params={"q": asked})
        assert answer.headers["Location"] == f"{BASE}/{place}/{asked.strip().lower()}"
    for asked, names in ((batch, ["Two", "One"]), ("LAMP/7", ["Lamp"])):
        page = await visitor.client.get(f"{BASE}/classifications", params={"q": asked})
        assert re.findall(r'class="row-link" href="[^"]+">([^<]+)<', page.text) == names
    unknown = f"clf_{'0' * 26}"
    await visitor.open(f"{BASE}/classifications?q={unknown}")
    assert (await visitor.follow()).status_code == 404


async def test_what_was_understood_and_what_is_likely_stand_beside_the_answer(office: Office) -> None:
    visitor = await office.signed_in()
    accepted = await office.running.classify()
    await office.running.work()
    one = accepted["classifications"][0]["id"]
    for path in (f"{BASE}/classifications/{one}", f"{BASE}/classifications/{one}/report"):
        page = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", (await visitor.open(path)).text))
        assert "What we understood The goods t-shirt Made of cotton 60% Not printed" in page, path
        assert re.search(r"Likely headings .* 6109 T-shirts, .*6205 ", page), path
        assert re.search(r"Likely subheadings .* 6109\.10 \w+", page), path


async def test_an_answer_from_before_the_reading_shows_none(office: Office) -> None:
    visitor = await office.signed_in()
    accepted = await office.running.classify()
    await office.running.work()
    one = accepted["classifications"][0]["id"]
    later = "ARRAY['reading', 'likely_headings', 'likely_subheadings']"
    await office.running.run(f"UPDATE classifications SET result = result - {later} WHERE id = :id", id=one)
    for path in (f"{BASE}/classifications/{one}", f"{BASE}/classifications/{one}/report"):
        page = await visitor.open(path)
        assert "6109.10.00.12" in page.text
        assert "What we understood" not in page.text
        assert "Likely" not in page.text
    polled = (await office.running.poll(accepted))["result"]
    assert polled["reading"] == {"goods": "", "made_of": [], "measures": [], "denied": [], "purpose": []}
    assert polled["likely_headings"] == []


def nothing_found(product: Product, schedule: ScheduleName, _: object = ()) -> Determination:
    """An engine that reads every product and knows none."""
    steps = (Step("read the goods", str(understood(reading_of(product))), 1.0),)
    return dataclasses.replace(determine(Product("thing"), schedule), steps=steps)


async def test_what_was_read_of_goods_without_a_code_is_in_its_steps(office: Office) -> None:
    visitor = await office.signed_in()
    accepted = await office.running.classify(name="various parts, not electric")
    await office.running.work(nothing_found)
    page = await visitor.open(f"{BASE}/classifications/{accepted['classifications'][0]['id']}")
    assert "No code could be given" in page.text
    assert "various parts; not: electric" in page.text


async def test_the_page_and_the_report_show_the_provisions_pointed_to_with_their_source(office: Office) -> None:
    told = AdditionalDuty(
        provision="9903.88.15",
        text="Articles the product of China",
        rate="The duty provided + 7.5%",
        why="It names China, the country of origin.",
        source="US-HTS 2026-rev-10, footnote to 6109.10.00: See 9903.88.15.",
    )
    rate = SpecialRate("S", "USMCA", "Free", ("CA", "MX"), "General Note 11")
    accepted = await answer_with(office, 0.9, needs_review=False, additional_duties=(told,), special_rates=(rate,))
    one = accepted["classifications"][0]["id"]
    visitor = await office.signed_in()
    for path in (f"{BASE}/classifications/{one}", f"{BASE}/classifications/{one}/report"):
        page = (await visitor.open(path)).text
        assert all(words in page for words in (told.rate, told.text, told.why, told.source))
        assert "Canada" in page
        assert "Mexico" in page
        assert "nothing is added up" in page
