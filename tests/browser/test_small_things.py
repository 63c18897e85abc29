"""What only a real browser shows: a doubtful answer, a key that closes, an icon that stays, a field that keeps."""

from playwright.sync_api import expect

from browser.windows import TIMEOUT, Dashboard, Serving

expect.set_options(timeout=TIMEOUT)


def test_a_country_that_is_typed_stays_and_a_doubtful_answer_is_not_green(
    dashboard: Dashboard, serving: Serving
) -> None:
    page = dashboard.open()
    page.goto(f"{serving.dashboard}/test/classify")
    page.get_by_label("Name").fill("Porcelain cup")
    page.get_by_label("Your identifier").fill("sbx-low-confidence")
    page.get_by_label("Country of origin").press_sequentially("China")
    page.get_by_role("button", name="Classify", exact=True).click()
    expect(page.get_by_text("from China (CN)")).to_be_visible()
    expect(page.get_by_text("Needs review")).to_have_count(2)
    expect(page.locator(".badge-completed")).to_have_count(0)
    one = str(page.get_by_role("link", name="See the reasoning").first.get_attribute("href"))
    page.get_by_role("link", name="See the reasoning").first.click()
    badge = page.locator(".actions .badge")
    expect(badge).to_have_text("Needs review")
    red, green, _ = badge.evaluate("one => getComputedStyle(one).color.match(/\\d+/g).map(Number)")
    assert red > green, "a doubtful answer looks like a sure one"
    page.keyboard.press("Control+k")
    page.keyboard.type(one.rpartition("/")[2])
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Porcelain cup")).to_be_visible()


def test_the_palette_finds_codes_and_actions_and_closes_at_the_first_escape(
    dashboard: Dashboard, serving: Serving
) -> None:
    page = dashboard.open()
    page.goto(f"{serving.dashboard}/live")
    for typed, shown, there in (("6109.10", "6109.10 · US-HTS", "6109.10"), ("file of", "Classify a file", "Classify")):
        page.keyboard.press("Control+k")
        page.keyboard.type(typed)
        expect(page.get_by_role("dialog").locator("li a").first).to_contain_text(shown)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_contain_text(there)
    page.keyboard.press("Control+k")
    page.keyboard.type("usage")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_the_menu_s_icon_stays_where_it_was_pressed(dashboard: Dashboard, serving: Serving) -> None:
    page = dashboard.open(width=390)
    page.goto(f"{serving.dashboard}/live")
    icon = page.locator(".menu > summary")
    before = icon.bounding_box()
    icon.click()
    expect(page.get_by_role("link", name="Usage").first).to_be_visible()
    assert icon.bounding_box() == before


def test_a_schedule_s_name_stays_on_one_line(dashboard: Dashboard, serving: Serving) -> None:
    page = dashboard.open(width=860)
    page.goto(f"{serving.dashboard}/test/classifications")
    heights = page.locator('td[data-label="Schedule"]').evaluate_all(
        "cells => cells.map(cell => { const range = document.createRange(); range.selectNodeContents(cell); "
        "return range.getClientRects().length; })"
    )
    assert heights
    assert set(heights) == {1}
