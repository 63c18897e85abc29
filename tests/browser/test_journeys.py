"""What people do, in a real browser before real processes."""

import re
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Page, expect

from browser.keyboard import press, tab_to, write
from browser.windows import EMAIL, PASSWORD, TIMEOUT, Complaints, Dashboard, Inbox, Serving, no_reload

expect.set_options(timeout=TIMEOUT)

CSV = (
    "SKU;Name;Description;Country;Colour\n"
    "A-1;Men's T-shirt;Knitted, 100% cotton;BD;red\n"
    "A-2;Leather handbag;Outer surface of cow leather;IT;brown\n"
    "A-3;;No name at all;IT;blue\n"
    "A-4;=1+1 wooden table;Solid oak dining table;Atlantis;oak\n"
    "A-5;=1+1 wooden table;Solid oak dining table;GB;oak\n"
)


def classify(page: Page, serving: Serving, name: str, description: str) -> None:
    page.goto(f"{serving.dashboard}/live/classify")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Description").fill(description)
    page.get_by_role("button", name="Classify", exact=True).click()
    page.get_by_role("heading", name=name).wait_for()


def test_a_key_is_made_used_and_revoked(dashboard: Dashboard, serving: Serving) -> None:
    page = dashboard.open()
    page.goto(f"{serving.dashboard}/live/settings/api")
    page.get_by_label("Name").fill("Warehouse")
    page.get_by_role("button", name="Create key").click()
    token = page.get_by_label("New API key").input_value()
    assert re.fullmatch(r"svc_live_\w{38}", token)
    expect(page.get_by_label("Quick start: curl")).to_contain_text(f"Bearer {token}")
    page.get_by_text("Python", exact=True).click()
    expect(page.get_by_label("Quick start: curl")).to_be_hidden()
    expect(page.get_by_label("Quick start: Python")).to_contain_text(f'Client("{serving.live}", "{token}")')
    expect(page.get_by_role("link", name="Reference of the API")).to_be_visible()
    call: dict[str, Any] = {"headers": {"Authorization": f"Bearer {token}"}, "trust_env": False}
    body = {"product": {"name": "Mug"}, "schedules": ["US-HTS"]}
    assert httpx2.post(f"{serving.live}/api/v1/products/classify", json=body, **call).status_code == 202
    page.goto(f"{serving.dashboard}/live/settings/api")
    expect(page.get_by_text(token)).to_have_count(0)
    page.get_by_role("link", name="Revoke Warehouse").click()
    page.get_by_role("button", name="Revoke key").click()
    expect(page.get_by_role("status")).to_contain_text("revoked")
    answer = httpx2.post(f"{serving.live}/api/v1/products/classify", json=body, **call)
    assert answer.status_code == 401
    assert answer.json()["error"]["reason"] == "revoked_api_key"


def test_limits_are_set_and_hold_at_once(dashboard: Dashboard, serving: Serving) -> None:
    page = dashboard.open()
    page.goto(f"{serving.dashboard}/live/settings/api")
    page.get_by_label("Name").fill("Limited import")
    page.get_by_role("button", name="Create key").click()
    token = page.get_by_label("New API key").input_value()
    page.get_by_role("link", name="Change the limit of Limited import").click()
    page.get_by_label("Requests a minute").fill("1")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("counts from the next request on")
    limit = page.get_by_role("link", name="Change the limit of Limited import")
    expect(limit).to_have_text("1: change the limit of Limited import")
    call: dict[str, Any] = {"headers": {"Authorization": f"Bearer {token}"}, "trust_env": False}
    answers = [httpx2.get(f"{serving.live}/api/v1/me", **call) for _ in range(2)]
    assert [(one.status_code, one.headers["X-RateLimit-Limit"]) for one in answers] == [(200, "1"), (429, "1")]
    page.get_by_role("link", name="Organization").click()
    page.get_by_label("Credit limit").fill("0")
    page.get_by_role("button", name="Save the limit").click()
    page.goto(f"{serving.dashboard}/live/classify")
    page.get_by_label("Name").fill("Kettle")
    dashboard.complaints.clear()
    page.get_by_role("button", name="Classify", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("limit of 0 credits")
    dashboard.complaints[:] = [one for one in dashboard.complaints if "409" not in one]
    page.goto(f"{serving.dashboard}/live/usage")
    expect(page.get_by_text("of 0", exact=True)).to_be_visible()
    page.goto(f"{serving.dashboard}/live/settings/organization")
    page.get_by_label("Credit limit").fill("")
    page.get_by_role("button", name="Save the limit").click()
    page.goto(f"{serving.dashboard}/live/usage")
    expect(page.get_by_text("no limit is set")).to_be_visible()


def test_an_error_of_the_api_is_found_in_the_request_log(dashboard: Dashboard, serving: Serving) -> None:
    page = dashboard.open()
    page.goto(f"{serving.dashboard}/live/settings/api")
    page.get_by_label("Name").fill("Faulty import")
    page.get_by_role("button", name="Create key").click()
    token = page.get_by_label("New API key").input_value()
    call: dict[str, Any] = {"headers": {"Authorization": f"Bearer {token}"}, "trust_env": False}
    refused = httpx2.post(f"{serving.live}/api/v1/products/classify", json={"product": {"name": "Kettle"}}, **call)
    request_id = refused.json()["error"]["request_id"]
    httpx2.get(f"{serving.live}/api/v1/me", **call)
    page.wait_for_timeout(1000)  # the log follows within a second
    page.get_by_role("link", name="Requests", exact=True).click()
    page.get_by_label("Status").select_option("4xx")
    page.get_by_label("API key").select_option(label=f"Faulty import (…{token[-4:]})")
    expect(page.get_by_role("link", name="GET /api/v1/me")).to_have_count(0)
    page.get_by_role("link", name="POST /api/v1/products/classify").click()
    expect(page.get_by_text(request_id).first).to_be_visible()
    expect(page.get_by_text('"name": "Kettle"')).to_be_visible()
    expect(page.get_by_text('"INVALID_REQUEST"')).to_be_visible()
    page.goto(f"{serving.dashboard}/live/classifications?q={request_id}")
    expect(page.get_by_role("heading", name="POST /api/v1/products/classify")).to_be_visible()


def test_a_form_is_answered_without_a_reload_and_the_answer_is_reviewed(dashboard: Dashboard, serving: Serving) -> None:
    page = dashboard.open()
    classify(page, serving, "Roasted coffee beans", "Whole beans, arabica, not decaffeinated, 1 kg bag")
    with no_reload(page):
        expect(page.locator(".answer-code")).to_have_count(2)
    page.get_by_role("link", name="See the reasoning").first.click()
    expect(page.get_by_role("img", name=re.compile("Path")).first).to_be_visible()
    expect(page.get_by_role("heading", name="Analysis steps")).to_be_visible()
    page.get_by_label("Accept").check()
    page.get_by_label("Note").fill("Seen the goods.")
    page.get_by_role("button", name="Save review").click()
    expect(page.locator("#review-card")).to_contain_text(f"Accepted by {EMAIL}")
    page.get_by_role("link", name="Report").click()
    expect(page.get_by_text("Classification record of Northwind Trading")).to_be_visible()
    expect(page.get_by_text("Seen the goods.")).to_be_visible()


def test_a_correction_must_be_a_line_of_the_schedule(dashboard: Dashboard, serving: Serving) -> None:
    page = dashboard.open()
    classify(page, serving, "Men's T-shirt", "Knitted, 100% cotton, short sleeves")
    expect(page.locator(".answer-code")).to_have_count(2)
    page.get_by_role("link", name="See the reasoning").first.click()
    page.get_by_role("radio", name="Correct").check()
    page.get_by_label("Correct code").fill("9999.99")
    dashboard.complaints.clear()
    page.get_by_role("button", name="Save review").click()
    expect(page.get_by_role("alert")).to_contain_text("not in the schedule")
    dashboard.complaints[:] = [one for one in dashboard.complaints if "422" not in one]
    right = page.locator(".verdict .code").inner_text()
    page.get_by_label("Correct code").fill(right)
    page.get_by_role("button", name="Save review").click()
    expect(page.locator("#review-card")).to_contain_text("Corrected")


def test_a_file_is_looked_at_sent_watched_and_taken_home(
    dashboard: Dashboard, serving: Serving, tmp_path: Path
) -> None:
    file = tmp_path / "spring.csv"
    file.write_text(CSV, encoding="utf-8")
    page = dashboard.open()
    page.goto(f"{serving.dashboard}/live/classify")
    page.get_by_label("CSV or Excel file").set_input_files(file)
    page.get_by_role("button", name="Look at the file").click()
    bad = page.get_by_role("table", name="Rows with problems")
    expect(bad.get_by_role("row")).to_have_count(3)
    expect(bad).to_contain_text("name is needed")
    expect(bad).to_contain_text("is not a country that we know")
    expect(page.get_by_text("returned with the results: Colour")).to_be_visible()
    expect(page.get_by_label("Name", exact=True).locator("option:checked")).to_have_text(
        re.compile("name", re.IGNORECASE)
    )
    page.get_by_label("Description", exact=True).select_option(label="None")
    page.wait_for_url("**/uploads/*?*description=&*")
    page.get_by_label("Description", exact=True).select_option(label="C: Description")
    page.wait_for_url("**/uploads/*?*description=2&*")
    page.get_by_role("button", name="Classify 3 products").click()
    page.get_by_role("progressbar").wait_for()
    with no_reload(page):
        expect(page.get_by_text("6 of 6").first).to_be_visible()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Results as CSV").click()
    lines = Path(waiting.value.path()).read_text("utf-8").splitlines()
    assert lines[0].startswith("SKU;Name;Description;Country;Colour;US-HTS final_code;")
    assert len(lines) == 6, "a row for each of theirs, also for those that were left out"
    assert sum("'=1+1 wooden table" in line for line in lines) == 2
    assert not any(cell.startswith("=") for line in lines for cell in line.split(";"))


def test_a_webhook_is_set_tested_and_redelivered(dashboard: Dashboard, serving: Serving, inbox: Inbox) -> None:
    inbox.statuses = [200, 200]
    page = dashboard.open()
    page.goto(f"{serving.dashboard}/live/settings/webhooks")
    page.get_by_label("URL").fill(inbox.url)
    page.get_by_role("button", name="Save").click()
    assert page.get_by_label("Signing secret", exact=True).input_value().startswith("whsec_")
    page.get_by_role("button", name="Send test").click()
    page.get_by_role("heading", name="webhook.test").wait_for()
    with no_reload(page):
        expect(page.locator(".attempts li")).to_have_count(1)
    expect(page.locator(".attempts li").first).to_contain_text("200")
    page.get_by_role("button", name="Redeliver").click()
    expect(page.locator(".attempts li")).to_have_count(2)
    assert len(inbox.deliveries) == 2
    assert inbox.deliveries[0] == inbox.deliveries[1]
    page.get_by_role("link", name="Webhooks").last.click()
    expect(page.get_by_role("table", name="Deliveries")).to_contain_text("Delivered")
    page.get_by_text("Remove webhook").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("removed")


def test_an_endpoint_is_added_tested_switched_off_and_removed(
    dashboard: Dashboard, serving: Serving, inbox: Inbox
) -> None:
    inbox.statuses = [200]
    page = dashboard.open()
    page.goto(f"{serving.dashboard}/live/settings/webhooks")
    page.get_by_role("link", name="Add endpoint").click()
    page.get_by_label("Description").fill("The warehouse")
    page.get_by_label("URL").fill(inbox.url)
    page.get_by_label("classification.failed").check()
    page.get_by_role("button", name="Save").click()
    assert page.get_by_label("Signing secret", exact=True).input_value().startswith("whsec_")
    page.get_by_role("button", name="Send test").click()
    page.get_by_role("heading", name="webhook.test").wait_for()
    with no_reload(page):
        expect(page.locator(".attempts li")).to_have_count(1)
    page.get_by_role("link", name="Webhooks").last.click()
    page.get_by_role("link", name="The warehouse").click()
    expect(page.get_by_role("table", name="Deliveries")).to_contain_text("Delivered")
    page.get_by_label("Enabled").uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".head")).to_contain_text("Disabled")
    classify(page, serving, "Cotton T-shirt", "Knitted")
    expect(page.locator(".answer-code")).to_have_count(2)
    page.goto(f"{serving.dashboard}/live/settings/webhooks")
    page.get_by_role("link", name="The warehouse").click()
    expect(page.get_by_text("2 held while the endpoint was disabled.")).to_be_visible()
    expect(page.get_by_role("table", name="Deliveries")).to_contain_text("Cotton T-shirt")
    page.get_by_label("Enabled").check()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Send again").click()
    expect(page.get_by_role("status")).to_contain_text("being sent again")
    expect(page.get_by_role("table", name="Deliveries").get_by_text("Delivered")).to_have_count(3)
    expect(page.get_by_text("held while")).to_have_count(0)
    page.get_by_text("Remove endpoint").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("removed")
    expect(page.get_by_role("link", name="The warehouse")).to_have_count(0)


def test_a_revision_is_browsed_and_searched(dashboard: Dashboard, serving: Serving) -> None:
    page = dashboard.open()
    page.goto(f"{serving.dashboard}/live/schedules")
    page.get_by_role("link", name=re.compile("^61")).click()
    page.get_by_role("link", name=re.compile("^6109")).click()
    expect(page.get_by_role("heading", name="6109")).to_be_visible()
    expect(page.get_by_text("starter-")).to_be_visible()
    page.goto(f"{serving.dashboard}/live/schedules/EU-CN")
    page.keyboard.press("/")
    page.keyboard.type("cotton shirts")
    page.keyboard.press("Enter")
    expect(page.get_by_text("for “cotton shirts”")).to_be_visible()
    page.get_by_role("link", name=re.compile(r"^6109\.10")).first.click()
    expect(page.get_by_text("Kind")).to_be_visible()


def test_a_list_is_searched_filtered_and_walked_with_keys(dashboard: Dashboard, serving: Serving) -> None:
    page = dashboard.open()
    classify(page, serving, "Umbrella with a wooden handle", "Polyester cover, automatic")
    expect(page.locator(".answer-code, .badge-failed")).to_have_count(2)
    page.goto(f"{serving.dashboard}/live/classifications")
    page.keyboard.press("/")
    page.keyboard.type("umbrel wood")
    page.keyboard.press("Enter")
    expect(page.get_by_role("row")).to_have_count(3)
    page.get_by_label("Schedule").select_option("EU-CN")
    expect(page.get_by_role("row")).to_have_count(2)
    page.locator("h1").click()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Umbrella with a wooden handle")).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type("usage")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Usage")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("c")
    expect(page.get_by_role("heading", name="Classifications")).to_be_visible()


@pytest.mark.parametrize("width", [1280, 390])
def test_by_keyboard_alone_from_sign_in_to_sign_out(dashboard: Dashboard, serving: Serving, width: int) -> None:
    page = dashboard.open(width=width, fresh=True)
    page.goto(f"{serving.dashboard}/live/classify")
    expect(page.get_by_label("E-mail address")).to_be_focused()
    page.keyboard.type(EMAIL)
    write(page, "Password", PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Classify", exact=True).wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # skips to the content
    write(page, "Name", "Wooden dining table")
    write(page, "Description optional", "Solid oak, seats six, for household use")
    tab_to(page, "EU-CN")
    page.keyboard.press("Space")
    press(page, "Classify")
    page.get_by_role("heading", name="Wooden dining table").wait_for()
    expect(page.locator(".answer-code")).to_have_count(1)
    press(page, "See the reasoning")
    page.get_by_role("heading", name="Review").wait_for()
    tab_to(page, "Accept")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    press(page, "Save review")
    expect(page.get_by_role("status")).to_contain_text("Review saved")
    page.keyboard.press("g")
    page.keyboard.press("a")
    page.get_by_role("heading", name="API keys").wait_for()
    write(page, "Name", f"by keyboard {width}")
    press(page, "Create key")
    expect(page.get_by_label("New API key")).to_be_visible()
    page.goto(f"{serving.dashboard}/live")
    if width < 800:
        press(page, "Menu")
    press(page, "Sign out")
    expect(page.get_by_role("status")).to_contain_text("signed out")
    page.goto(f"{serving.dashboard}/live")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_everything_works_without_javascript(
    dashboard: Dashboard, serving: Serving, tmp_path: Path, inbox: Inbox
) -> None:
    page = dashboard.open(script=False, fresh=True)
    page.goto(f"{serving.dashboard}/sign-in")
    page.get_by_label("E-mail address").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Classify").first.click()
    page.get_by_label("Name").fill("Bicycle pump")
    page.get_by_role("button", name="Classify", exact=True).click()
    expect(page.locator(".answer-code, .badge-failed").first).to_be_visible()
    file = tmp_path / "one.csv"
    file.write_text("name\nMen's T-shirt\n", encoding="utf-8")
    page.goto(f"{serving.dashboard}/live/classify")
    page.get_by_label("CSV or Excel file").set_input_files(file)
    page.get_by_role("button", name="Look at the file").click()
    page.get_by_role("button", name="Classify 1 product").click()
    expect(page.get_by_text("2 of 2").first).to_be_visible()
    page.get_by_role("link", name="Men's T-shirt").first.click()
    page.get_by_label("Reject").check()
    page.get_by_role("button", name="Save review").click()
    expect(page.locator("#review-card")).to_contain_text("Rejected by")
    page.goto(f"{serving.dashboard}/live/settings/webhooks")
    page.get_by_label("URL").fill(inbox.url)
    page.get_by_role("button", name="Save").click()
    page.goto(f"{serving.dashboard}/live/settings/webhooks")
    page.get_by_role("button", name="Send test").click()
    expect(page.locator(".attempts li")).to_have_count(1)
    page.goto(f"{serving.dashboard}/live/settings/webhooks")
    page.get_by_text("Remove webhook").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("removed")
    page.get_by_role("link", name="API", exact=True).click()
    page.get_by_label("Name").fill("without a script")
    page.get_by_role("button", name="Create key").click()
    assert page.get_by_label("New API key").input_value().startswith("svc_live_")
    page.goto(f"{serving.dashboard}/live/account")
    page.get_by_label("Dark").check()
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


PAGES = (
    "",
    "/classify",
    "/classifications",
    "/review",
    "/decisions",
    "/schedules/US-HTS",
    "/schedules/US-HTS?q=cotton",
    "/schedules/US-HTS/codes/6109",
    "/schedules/EU-CN/changes",
    "/usage",
    "/quality",
    "/filed",
    "/settings/api",
    "/settings/webhooks",
    "/settings/webhooks/endpoints/new",
    "/settings/requests",
    "/settings/members",
    "/settings/audit",
    "/account",
    "/nothing-here",
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_no_page_has_a_serious_fault_or_scrolls_sideways(
    dashboard: Dashboard, serving: Serving, axe: Complaints, width: int, scheme: str
) -> None:
    page = dashboard.open(width=width, scheme=scheme)
    classify(page, serving, "Lithium-ion battery pack", "Rechargeable, 48 V, 10 Ah, for electric bicycles")
    expect(page.locator(".answer-code")).to_have_count(2)
    one = page.get_by_role("link", name="See the reasoning").first.get_attribute("href")
    addresses = [*(f"{serving.dashboard}/live{path}" for path in PAGES), page.url]
    addresses += [f"{serving.live}{one}", f"{serving.live}{one}/report", f"{serving.dashboard}/test"]
    found = []
    for address in addresses:
        page.goto(address)
        found += axe(page)
        sideways = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert sideways <= 0, f"{address} is {sideways} pixels too wide"
    page.context.clear_cookies()
    page.goto(f"{serving.dashboard}/sign-in")
    found += axe(page)
    dashboard.complaints[:] = [one for one in dashboard.complaints if "404" not in one]
    assert found == []
