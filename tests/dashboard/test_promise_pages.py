"""A promise in the dashboard: set by those who may, shown with what reviews bear of it, and told where they end it."""

import re

import pytest

from dashboard.visitor import Office
from pcs.evaluation.promise import Promise
from pcs.organizations.model import Role
from promises.test_promise_in_the_service import ENOUGH, answered, borne, promised, review

SETTINGS = "/dashboard/live/settings/organization"
QUALITY = "/dashboard/live/quality"


async def test_nothing_promised_says_what_to_do_and_how_many_reviews_it_takes(office: Office) -> None:
    visitor = await office.signed_in()
    page = (await visitor.open(QUALITY)).text
    assert "Nothing is promised yet" in page
    assert f"It takes {Promise().fewest} such reviews at least" in page
    assert "Nothing has been classified here yet" in page


@pytest.mark.parametrize("role", [Role.OWNER, Role.ADMIN])
async def test_owners_and_admins_promise_and_withdraw_and_it_is_written_down(office: Office, role: Role) -> None:
    visitor = await office.signed_in(role)
    await visitor.open(SETTINGS)
    sent = await visitor.send(f"{SETTINGS}/promise", right="90,5 %", digits="4", asked_share="")
    assert sent.status_code == 303, visitor.text
    assert 'value="90.5"' in (await visitor.follow()).text
    shown = (await visitor.open(QUALITY)).text
    assert "90.5 % are right at 4 digits" in shown
    missing = Promise(0.905, 4).fewest
    assert f"Not yet: {missing} more reviews are missing beside 0 reviews." in shown
    live = (await office.running.live.get("/api/v1/promise")).json()
    assert (live["right"], live["digits"], live["asked_share"]) == (0.905, 4, 0.05)
    assert (await office.running.sandbox.get("/api/v1/promise")).status_code == 404
    await visitor.open(SETTINGS)
    assert (await visitor.send(f"{SETTINGS}/promise/withdraw")).status_code == 303
    assert (await office.running.live.get("/api/v1/promise")).status_code == 404
    query = "SELECT action FROM audit_entries WHERE organization_id = :id AND action LIKE '%promise' ORDER BY id"
    told = await office.running.rows(query, id=office.running.organization_id)
    assert [one["action"] for one in told] == ["set the promise", "withdrew the promise"]


@pytest.mark.parametrize(
    ("field", "written"), [("right", "101"), ("right", "40"), ("right", "much"), ("asked_share", "0"), ("digits", "5")]
)
async def test_what_cannot_be_promised_is_refused_in_its_field(office: Office, field: str, written: str) -> None:
    visitor = await office.signed_in()
    await visitor.open(SETTINGS)
    fields = {"right": "90", "digits": "6", "asked_share": "5", field: written}
    assert (await visitor.send(f"{SETTINGS}/promise", **fields)).status_code == 422
    assert visitor.page is not None
    assert re.search(rf'id="{field}-problem">[A-Z][a-z ]+ must be', visitor.page.text)
    assert (await office.running.live.get("/api/v1/promise")).status_code == 404


@pytest.mark.parametrize("role", [Role.MEMBER, Role.VIEWER])
async def test_others_see_the_promise_and_may_not_change_it(office: Office, role: Role) -> None:
    await promised(office.running)
    visitor = await office.signed_in(role)
    for path in (f"{SETTINGS}/promise", f"{SETTINGS}/promise/withdraw"):
        assert "80 % are to be right at 6 digits" in (await visitor.open(SETTINGS)).text
        assert (await visitor.send(path, right="60", digits="6", asked_share="5")).status_code == 403
    assert (await office.running.live.get("/api/v1/promise")).json()["right"] == 0.8


async def test_the_page_shows_shares_with_their_spans_in_a_chart_and_in_a_table(office: Office) -> None:
    await borne(office.running)
    visitor = await office.signed_in()
    page = (await visitor.open(QUALITY)).text
    told = f"30-50 %: {ENOUGH} of {ENOUGH} right; in truth"
    assert page.count(told) == 2, "in the chart and in the table"
    assert 'aria-label="How often right, by confidence: US-HTS"' in page
    assert f"Answers are taken from a confidence of 30 % on, which 100% reach, by {ENOUGH} reviews." in page
    assert 'class="goal"' in page
    assert "EU-CN</h2>" not in page, "a schedule without answers has no charts"


async def test_an_answer_drawn_by_chance_says_why_it_waits_until_it_is_reviewed(office: Office) -> None:
    await promised(office.running)
    [asked] = await answered(office.running, 0.99)
    visitor = await office.signed_in()
    address = f"/dashboard/live/classifications/{asked['id']}"
    page = (await visitor.open(address)).text
    assert "Drawn by chance for your promise" in page
    assert "Needs review" in page
    assert "1 drawn waits for review" in (await visitor.open(QUALITY)).text
    await review(office.running, [asked])
    assert "Drawn by chance" not in (await visitor.open(address)).text


async def test_reviews_that_end_a_threshold_are_told_on_the_overview_and_in_the_audit_log(office: Office) -> None:
    await borne(office.running)
    visitor = await office.signed_in()
    assert "ended the threshold" not in (await visitor.open("/dashboard/live")).text
    await review(office.running, await answered(office.running, *[0.4] * ENOUGH), right=False)
    for path in ("/dashboard/live", QUALITY):
        assert "reviews ended the threshold of 30 %" in (await visitor.open(path)).text
    assert "ended the threshold" not in (await visitor.open("/dashboard/test")).text
    assert "the promise was not kept" in (await visitor.open("/dashboard/live/settings/audit")).text
