"""What a person saw on the pages and was wrong stays right."""

import json
import re

import pytest

from dashboard.visitor import PASSWORD, Office
from pcs.dashboard.tree import path_picture
from pcs.engine.result import Level, Result
from pcs.tariff.code import Code
from receiver import Receiver

BASE = "/dashboard/live"
UNDECIDED = "".join(
    f", {column} = NULL"
    for column in ("final_code", "final_description", "final_revision", "decided_by", "decided_at", "decided_by_name")
)
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


async def test_figures_of_nothing_are_in_words(office: Office) -> None:
    visitor = await office.signed_in()
    await visitor.open(BASE)
    assert "less than -" not in visitor.text
    assert "of 0" not in visitor.text
    assert "nothing measured in the last 7 days" in visitor.text


async def test_what_is_not_to_be_declared_is_not_called_reliable(office: Office) -> None:
    visitor = await office.signed_in()
    accepted = await office.running.classify()
    one, product = accepted["classifications"][0]["id"], accepted["product_id"]
    await office.running.work()
    for confidence, told in ((0.9, True), (0.04, False)):
        await office.running.run(
            f"UPDATE classifications SET result = result || CAST(:result AS jsonb){'' if told else UNDECIDED}"
            " WHERE id = :id",
            result=json.dumps({"confidence": confidence, "confident_digits": 8, "needs_review": not told}),
            id=one,
        )
        await visitor.open(f"{BASE}/classifications/{one}")
        assert ("Reliable to 8 digits" in visitor.text) == told
    page = await visitor.open(f"{BASE}/classifications/{one}/report")
    assert '<p class="huge">No code</p>' in page.text
    assert "Nearest provision" in visitor.text
    page = await visitor.open(f"{BASE}/products/{product}")
    assert "do not declare it" in visitor.text
    assert "answer-code doubtful" in page.text


async def test_a_failure_is_reviewed_and_reported_as_one(office: Office) -> None:
    visitor = await office.signed_in()
    body = {"product": {"name": "Mug", "identifier": "sbx-fail-insufficient"}, "schedules": ["US-HTS"]}
    accepted = (await office.running.sandbox.post("/api/v1/products/classify", json=body)).json()
    await office.running.work()
    one = f"/dashboard/test/classifications/{accepted['classifications'][0]['id']}"
    await visitor.open(one)
    assert "No code can be given" in visitor.text
    assert "The code is wrong" not in visitor.text
    await visitor.open(f"{one}/report")
    assert "Result Failed" in visitor.text
    assert "Completed" not in visitor.text


async def test_a_first_secret_tells_of_no_previous_one(office: Office, receiver: Receiver) -> None:
    visitor = await office.signed_in()
    await visitor.open(f"{BASE}/settings/webhooks")
    fields = {"url": receiver.url, "event_types": ["classification.completed"], "enabled": "yes"}
    await visitor.send(f"{BASE}/settings/webhooks", secret_choice="make", **fields)
    await visitor.follow()
    assert "not shown again" in visitor.text
    assert "the previous one" not in visitor.text


async def test_a_wrong_password_is_called_what_its_field_is(office: Office) -> None:
    visitor = await office.signed_in()
    await visitor.open(f"{BASE}/account")
    fields = {"password": "a new long password", "password_again": "a new long password"}
    await visitor.send(f"{BASE}/account/password", old_password=f"{PASSWORD}x", **fields)
    assert "Current password is not right." in visitor.text
    await visitor.send(f"{BASE}/account/password", **{**fields, "password_again": "another"})
    assert "Password again must be the same" in visitor.text


async def test_the_audit_log_names_browsers(office: Office) -> None:
    member, visitor = await office.member(), office.visitor()
    visitor.client.headers["User-Agent"] = FIREFOX
    await visitor.sign_in(member.email)
    await visitor.open(f"{BASE}/settings/audit")
    assert "signed in Firefox on Linux" in visitor.text
    assert "Mozilla" not in visitor.text


@pytest.mark.parametrize("schedule", ["US-HTS", "EU-CN"])
async def test_no_title_ends_in_a_colon(office: Office, schedule: str) -> None:
    visitor = await office.signed_in()
    page = await visitor.open(f"{BASE}/schedules/{schedule}/codes/6109")
    shown = re.findall(r"</span><span>(?:<span[^>]*>)?([^<]+?)\s*(?:<|$)", page.text)
    assert shown
    assert [each for each in shown if each.endswith(":")] == []
    assert "Kind Heading" in visitor.text


def test_a_title_in_capitals_is_given_their_room() -> None:
    words = "NUCLEAR REACTORS, BOILERS, MACHINERY AND MECHANICAL APPLIANCES; PARTS THEREOF"
    levels = (Level(Code("84"), f"{words}:"), Level(Code("8471"), "Machines:", 0.9))
    drawn = path_picture(Result(Code("8471"), "", "", "2026", hierarchy=levels), width=560)
    lines = re.findall(r"<text x[^>]+>([^<]+)</text>", drawn)
    assert " ".join(lines[:-1]) == words
    assert max(map(len, lines)) * 8.3 < 540, "capitals of 13 px are 8.3 px wide in the widest font of the style sheet"
