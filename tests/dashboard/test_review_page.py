"""The review member: what waits beside the decision on one of it, filters, and candidates side by side."""

import html
import re

import pytest

from dashboard.visitor import Office, Visitor
from determinations import determine, with_result
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.engine.result import Alternative
from pcs.organizations.model import Role
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

BASE = "/dashboard/live/review"
OTHER = Alternative(Code("61099020"), "T-shirts, knitted > Of wool", 0.2, "It would be wool rather than cotton.")
SURENESS = {"doubted": 0.05, "torn": 0.3, "likely": 0.45}


def unsure(product: Product, schedule: ScheduleName, _decided: object = ()) -> Determination:
    """An engine that is less sure of some goods than of others, and whose schedules disagree on one."""
    sure = SURENESS.get(product.name.split()[0], 0.4)
    code = Code("62052000") if "disagreed" in product.name and schedule is ScheduleName.EU_CN else None
    changed = {"code": code} if code else {}
    return with_result(
        determine(product, schedule), confidence=sure, needs_review=True, alternatives=(OTHER,), **changed
    )


@pytest.fixture
async def member(office: Office) -> Visitor:
    """A member in front of four products that wait under both schedules."""
    for name in ("torn shirt", "likely shirt", "doubted shirt", "likely disagreed shirt"):
        await office.running.classify(name=name, schedules=("US-HTS", "EU-CN"))
        await office.running.work(unsure)
    return await office.signed_in(Role.MEMBER)


def listed(page: str) -> list[str]:
    return re.findall(r'class="review-name">([^<]+)<', page)


def shown(page: str) -> str:
    [name] = re.findall(r'<h2><a href="[^"]+">([^<]+)</a></h2>', page)
    return html.unescape(name)


async def decided(visitor: Visitor, act: str, **said: str) -> str:
    """The page after a decision on what is shown."""
    assert visitor.page is not None
    [address] = re.findall(
        r'<form method="post" action="([^"]+/review/[^"]+)" class="card stack review-', visitor.page.text
    )
    [following] = re.findall(r'name="following" value="([^"]*)"', visitor.page.text)
    await visitor.send(html.unescape(address), act=act, following=following, **said)
    return (await visitor.follow()).text


async def test_a_row_is_a_product_with_both_schedules_and_the_oldest_comes_first(member: Visitor) -> None:
    page = (await member.open(BASE)).text
    assert listed(page) == ["torn shirt", "likely shirt", "doubted shirt", "likely disagreed shirt"]
    assert page.count('class="review-line"') == 8
    assert shown(page) == "torn shirt"
    assert "1 of 8" in page


async def test_saving_opens_the_next_and_what_is_decided_waits_no_more(member: Visitor, office: Office) -> None:
    await member.open(BASE)
    page = await decided(member, "accepted")
    assert ("1 of 7" in page, shown(page)) == (True, "torn shirt")  # the other schedule's
    page = await decided(member, "corrected:61099020")
    assert ("1 of 6" in page, shown(page)) == (True, "likely shirt")
    page = await decided(member, "corrected", code="6109.10.00.40", note="cotton, boys")
    page = await decided(member, "rejected")
    assert ("1 of 4" in page, shown(page)) == (True, "doubted shirt")
    query = "SELECT final_code FROM classifications WHERE organization_id = :id AND final_code IS NOT NULL"
    rows = await office.running.rows(query, id=office.running.organization_id)
    assert {row["final_code"] for row in rows} == {"6109100012", "61099020", "6109100040"}


@pytest.mark.parametrize(("asked", "place"), [("", "2 of 8"), ("?schedule=US-HTS&disagreeing=", "2 of 4")])
async def test_a_skipped_one_still_waits_and_its_place_is_told(member: Visitor, asked: str, place: str) -> None:
    page = (await member.open(f"{BASE}{asked}")).text
    [following] = re.findall(r'rel="next" data-press="ArrowDown" href="([^"]+)"', page)
    page = (await member.open(html.unescape(following))).text
    assert place in page
    assert 'rel="prev"' in page


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ("sureness=0", {"doubted shirt"}),
        ("sureness=25", {"torn shirt", "likely shirt", "likely disagreed shirt"}),
        ("sureness=75", set()),
        ("disagreeing=yes", {"likely disagreed shirt"}),
        ("schedule=EU-CN&sureness=0", {"doubted shirt"}),
        ("batch=batch_01jx0000000000000000000000", set()),
    ],
)
async def test_filters_hold_while_one_decision_follows_another(member: Visitor, asked: str, names: set[str]) -> None:
    page = (await member.open(f"{BASE}?{asked}")).text
    assert set(listed(page)) == names
    if names:
        await decided(member, "accepted")
        assert member.page is not None
        assert asked.partition("=")[0] in str(member.page.url)
        assert set(listed(member.page.text)) <= names
    else:
        assert "Nothing like that waits." in page


async def test_a_doubtful_answer_has_nothing_to_copy_and_the_least_certain_may_come_first(member: Visitor) -> None:
    page = (await member.open(f"{BASE}?order=doubtful")).text
    assert shown(page) == "doubted shirt"
    assert "Not enough information" in page
    assert "data-copy" not in page
    assert "data-copy" in (await member.open(BASE)).text


async def test_what_is_wrong_is_said_beside_the_same_goods(member: Visitor) -> None:
    await member.open(BASE)
    [address] = re.findall(
        r'action="([^"]+/review/[^"]+)" class="card stack review-', member.page.text if member.page else ""
    )
    refused = await member.send(html.unescape(address), act="corrected", code="6109")
    assert refused.status_code == 422
    assert 'id="code-problem"' in refused.text
    assert shown(refused.text) == "torn shirt"


async def test_candidates_stand_side_by_side_with_the_words_that_differ_marked(member: Visitor) -> None:
    page = (await member.open(f"{BASE}?schedule=EU-CN")).text
    [address] = re.findall(r'href="([^"]+/compare)"', page)
    compared = (await member.open(address)).text
    assert compared.count('class="card stack"><h2>') == 2
    marked = {word.casefold() for word in re.findall(r"<mark>([^<]+)</mark>", compared)}
    assert any("cotton" in word for word in marked)
    assert not any("shirts" in word for word in marked)
    assert "It would be wool rather than cotton." in compared
    await member.send(re.findall(r'action="([^"]+/review/clf_[^"]+)"', compared)[1], act="corrected:61099020")
    assert "Review saved" in (await member.follow()).text
    assert (await member.open(f"{address}?code=shirt")).status_code == 422


async def test_whoever_only_looks_sees_the_page_and_decides_nothing(member: Visitor, office: Office) -> None:
    viewer = await office.signed_in(Role.VIEWER)
    page = (await viewer.open(BASE)).text
    assert shown(page) == "torn shirt"
    assert "review-decision" not in page
    assert member.page is not None


async def test_nothing_that_waits_is_said(office: Office) -> None:
    visitor = await office.signed_in()
    assert "Nothing waits" in (await visitor.open(BASE)).text


async def test_what_one_person_proposed_a_second_confirms_by_one_button(member: Visitor, office: Office) -> None:
    await office.running.run(
        "UPDATE organizations SET four_eyes = true WHERE id = :id", id=office.running.organization_id
    )
    await member.open(f"{BASE}?schedule=EU-CN")
    page = await decided(member, "corrected:61099020")
    assert shown(page) == "likely shirt"
    own = (await member.open(f"{BASE}?stage=proposed")).text
    assert "Proposed by" in own
    assert "Confirm" not in own
    second = await office.signed_in(Role.MEMBER)
    page = (await second.open(f"{BASE}?stage=proposed")).text
    assert listed(page) == ["torn shirt"]
    [address, act] = re.findall(r'action="([^"]+/review/clf_[^"]+)" data-once>.*?value="(corrected:\d+)"', page)[0]
    await second.send(html.unescape(address), act=act)
    await second.follow()
    query = "SELECT final_code FROM classifications WHERE organization_id = :id AND final_code IS NOT NULL"
    rows = await office.running.rows(query, id=office.running.organization_id)
    assert [row["final_code"] for row in rows] == ["61099020"]
