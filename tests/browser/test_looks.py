"""What a page looks like where a wrong look misleads: an answer that is none, words that run out of their place."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.windows import TIMEOUT, Dashboard, Inbox, Serving
from pcs.dashboard.tree import path_picture
from pcs.engine.result import Level, Result
from pcs.tariff.code import Code

expect.set_options(timeout=TIMEOUT)

WIDE = 560
TITLES = (
    "NUCLEAR REACTORS, BOILERS, MACHINERY AND MECHANICAL APPLIANCES; PARTS THEREOF",
    "Tricycles, scooters, pedal cars and similar wheeled toys; dolls' carriages; dolls, other toys",
    "Wide MMMMM WWWWW or not",
)
OUTSIDE = """() => [...document.querySelectorAll(".tree g")].flatMap((box) => {
  const room = box.querySelector("rect").getBoundingClientRect();
  return [...box.querySelectorAll("text")]
    .filter((text) => text.getBoundingClientRect().right > room.right).map((text) => text.textContent);
})"""
GREEN = "one => { const [red, green] = getComputedStyle(one).color.match(/\\d+/g).map(Number); return green > red; }"
LINES = """cells => cells.map(cell => {
  const range = document.createRange(); range.selectNodeContents(cell); return range.getClientRects().length; })"""


VAGUE = "Universal accessory", "Gadget", "Spare part", "Device", "Sample", "Holder", "Adapter", "Support", "Kit", "Unit"


def least_sure(page: Page, serving: Serving, file: Path) -> str:
    """The address of the answer that the engine is least sure of, of products that nobody can tell from their names."""
    file.write_text("\n".join(["name,description", *(f"{name},high quality" for name in VAGUE)]), encoding="utf-8")
    page.goto(f"{serving.dashboard}/live/classify")
    page.get_by_label("CSV or Excel file").set_input_files(file)
    page.get_by_role("button", name="Look at the file").click()
    page.get_by_role("button", name=f"Classify {len(VAGUE)} products").click()
    expect(page.get_by_role("heading", name="Completed")).to_be_visible()
    page.goto(f"{serving.dashboard}/live/classifications?status=completed&sort=doubtful")
    row = page.locator("tr[data-row]").first
    expect(row.locator(".badge")).to_have_text("Not enough information")
    return serving.live + str(row.locator("a").get_attribute("href"))


def test_an_answer_under_ten_percent_does_not_look_like_one(
    dashboard: Dashboard, serving: Serving, tmp_path: Path
) -> None:
    address = least_sure(dashboard.open(), serving, tmp_path / "vague.csv")
    for scheme in ("light", "dark"):
        page = dashboard.open(scheme=scheme)
        page.goto(address)
        expect(page.get_by_role("heading", name="Not enough information")).to_be_visible()
        expect(page.get_by_text("do not declare it")).to_be_visible()
        expect(page.get_by_role("button", name="Copy", exact=True)).to_have_count(0)
        expect(page.get_by_role("button", name="Copy id")).to_have_count(1)
        expect(page.get_by_text("Reliable to")).to_have_count(0)
        expect(page.locator(".actions .badge")).to_have_text("Not enough information")
        assert not page.locator(".actions .badge").evaluate(GREEN)
        assert float(page.locator(".verdict .code").evaluate("one => parseFloat(getComputedStyle(one).fontSize)")) < 16
        expect(page.locator(".verdict .bar-good, .verdict .bar-fair, .badge-completed")).to_have_count(0)
        page.get_by_role("link", name="Product", exact=True).click()
        unsure = page.locator(".answer", has_text="do not declare it").first
        assert not unsure.locator(".badge").evaluate(GREEN)
        seen = "one => getComputedStyle(one).color"
        assert unsure.locator(".answer-code a").evaluate(seen) == page.locator(".path").first.evaluate(seen)


@pytest.mark.parametrize("width", [WIDE, 330])
def test_no_title_runs_out_of_its_box(dashboard: Dashboard, serving: Serving, width: int) -> None:
    levels = tuple(Level(Code(f"84{place}0"), words, 0.5) for place, words in enumerate(TITLES, start=1))
    page = dashboard.open()
    page.goto(f"{serving.live}/dashboard/sign-in")
    drawn = str(path_picture(Result(Code("84"), "", "", "2026", hierarchy=levels), width=width))
    page.locator("main").evaluate("(main, drawn) => { main.innerHTML = drawn; main.style.maxWidth = 'none'; }", drawn)
    assert page.locator(".tree text").count() > len(levels)
    assert page.evaluate(OUTSIDE) == []


def test_events_and_times_stay_on_one_line(dashboard: Dashboard, serving: Serving, inbox: Inbox) -> None:
    page = dashboard.open()
    page.goto(f"{serving.dashboard}/live/settings/webhooks")
    page.get_by_label("URL").fill(inbox.url)
    page.get_by_role("button", name="Save").click()
    page.get_by_label("Signing secret", exact=True).wait_for()
    page.goto(f"{serving.dashboard}/live/classify")
    page.get_by_label("Name").fill("Men's T-shirt")
    page.get_by_role("button", name="Classify", exact=True).click()
    expect(page.locator(".answer-code")).to_have_count(2)
    page.goto(f"{serving.dashboard}/live/settings/webhooks")
    expect(page.get_by_role("table", name="Deliveries")).to_contain_text("classification.completed")
    assert set(page.locator("#deliveries tbody th a, #deliveries tbody time").evaluate_all(LINES)) == {1}
    page.goto(f"{serving.dashboard}/live/settings/audit")
    assert set(page.locator("tbody time").evaluate_all(LINES)) == {1}
    page.goto(f"{serving.dashboard}/live/settings/webhooks")
    page.get_by_text("Remove webhook").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("removed")
