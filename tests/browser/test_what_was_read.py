"""What was understood, what else is likely, and the threshold of review, in a real browser at every width."""

import pytest
from playwright.sync_api import expect

from browser.windows import TIMEOUT, Dashboard, Serving

expect.set_options(timeout=TIMEOUT)
WIDTHS = (1280, 390)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_reading_and_what_is_likely_are_shown_with_an_answer(
    dashboard: Dashboard, serving: Serving, width: int
) -> None:
    page = dashboard.open(width=width)
    page.goto(f"{serving.dashboard}/live/classify")
    page.get_by_label("Name").fill("Leather handbag")
    page.get_by_label("Description").fill("outer surface of cow leather, cotton lining, without a zipper")
    page.get_by_role("button", name="Classify", exact=True).click()
    page.get_by_role("link", name="See the reasoning").first.click()
    reading = page.locator("#reading")
    expect(reading.get_by_role("heading", name="What we understood")).to_be_visible()
    for title, told in (("The goods", "leather handbag"), ("Lining", "cotton"), ("Not", "zipper")):
        row = reading.locator("div", has=page.get_by_text(title, exact=True))
        expect(row.locator("dd")).to_have_text(told)
    likely = page.locator("section", has=page.get_by_role("heading", name="Likely headings"))
    expect(likely.locator("tbody tr").first).to_contain_text("4202")
    sideways = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert sideways <= 0


def test_an_owner_sets_the_threshold_of_review_and_keeps_what_was_typed_wrong(
    dashboard: Dashboard, serving: Serving
) -> None:
    page = dashboard.open()
    page.goto(f"{serving.dashboard}/live")
    page.get_by_role("link", name="Organization").click()
    field = page.get_by_label("Needs review below")
    field.fill("120")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#review_below-problem")).to_contain_text("between 0 and 100")
    expect(field).to_have_value("120")
    dashboard.complaints[:] = [one for one in dashboard.complaints if "422" not in one]
    field.fill("70")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Saved")
    expect(field).to_have_value("70")
    field.fill("")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(field).to_have_value("")
