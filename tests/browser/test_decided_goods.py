"""What a broker does with a file: answer, correct, accept by key, take the codes home; the next time they are there."""

import csv
import io
import re
from pathlib import Path

from playwright.sync_api import Page, expect

from browser.windows import TIMEOUT, Dashboard, Serving

expect.set_options(timeout=TIMEOUT)

NAMES = (
    *("MENS TEE 100% CTN KNIT", "ladies hndbag lthr brown", "usb-c cable 2m blk", "toy car metal", "LED bulb E27 9W"),
    *(
        "coffee beans roasted arabica 1kg",
        "Oak dining table, 6 pers.",
        "playing cards",
        "Notebook A5 ruled",
        "wall clock",
    ),
    *("hose w. fitting", "filter cartridge", "bracket galv.", "fabric blue 140cm", "boots size 43", "jacket with hood"),
    *(
        "pump 12V",
        "gloves L",
        "tube 32mm",
        "valve 1/2 inch",
        "lamp for desk",
        "bag w. zip",
        "blanket soft",
        "chair folding",
    ),
    *("knife 20cm", "cup 250ml", "motor 24V", "cheese 400 g", "paper white A4", "ring gold tone"),
)


def written(folder: Path, name: str) -> Path:
    file = folder / name
    rows = [["Our no.", "Item", "Supplier"], *([f"X-{place}", goods, "ACME"] for place, goods in enumerate(NAMES))]
    file.write_text("\n".join(";".join(row) for row in rows), encoding="utf-8")
    return file


def sent(page: Page, serving: Serving, file: Path) -> str:
    """The address of an upload whose every row is finished."""
    page.goto(f"{serving.dashboard}/live/classify")
    form = page.locator("form[action$='/uploads']")
    form.get_by_label("CSV or Excel file").set_input_files(file)
    form.get_by_role("checkbox", name="US-HTS").uncheck()
    form.get_by_role("button", name="Look at the file").click()
    page.get_by_label("Name", exact=True).select_option(label="B: Item")
    page.wait_for_url("**/uploads/*?*name=1*")
    page.get_by_role("button", name="Classify 30 products").click()
    expect(page.get_by_text("30 of 30").first).to_be_visible()
    return page.url


def taken_home(page: Page, upload: str) -> list[dict[str, str]]:
    page.goto(upload)
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Results as CSV").click()
    text = Path(waiting.value.path()).read_text("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text), delimiter=";"))


def answered(page: Page, review: str) -> None:
    """Answer a question of the first that has one; what comes of it is accepted where somebody should look."""
    page.goto(review)
    while not page.locator("#questions").count():
        name = page.locator("#decide h2").first.inner_text()
        page.keyboard.press("ArrowDown")
        expect(page.locator("#decide h2").first).not_to_have_text(name)  # at the end of the list it fails
    page.locator("#questions fieldset").first.get_by_role("radio").first.check()
    page.get_by_role("button", name="Analyse again").click()
    expect(page.locator("#answered")).to_be_visible()
    expect(page.locator("#review-card")).to_be_visible()
    page.get_by_label("Accept").check()
    page.get_by_role("button", name="Save review").click()
    expect(page.get_by_role("status")).to_contain_text("Review saved")


def test_a_file_is_decided_by_keyboard_and_the_same_file_is_decided_at_once(
    dashboard: Dashboard, serving: Serving, tmp_path: Path
) -> None:
    page = dashboard.open()
    upload = sent(page, serving, written(tmp_path, "autumn.csv"))
    page.get_by_role("link", name="Review", exact=True).last.click()
    review = page.url
    for _ in range(2):
        answered(page, review)
    page.goto(review)
    waiting = int(re.findall(r"1 of (\d+)", page.locator(".head").inner_text())[0])
    assert waiting > 3, "these goods are named too well to try it"
    corrected = []
    for key in ("1", "c", "c"):
        code = page.locator(".review-others .code").first.inner_text()
        name = page.locator("#decide h2").first.inner_text()
        corrected.append((name, code))
        if key == "c":
            page.keyboard.press("c")
            expect(page.get_by_label("Correct code")).to_be_focused()
            page.keyboard.type(code)
            page.keyboard.press("Enter")
        else:
            page.keyboard.press(key)
        expect(page.get_by_role("status")).to_contain_text("Review saved")
        expect(page.locator("#decide h2").first).not_to_have_text(name)
    for left in range(waiting - 3, 0, -1):
        expect(page.locator(".head")).to_contain_text(f"of {left}")
        page.keyboard.press("a")
        expect(page.locator(".head")).not_to_contain_text(f"of {left}")
    expect(page.get_by_text("Nothing like that waits.")).to_be_visible()

    rows = taken_home(page, upload)
    assert list(rows[0])[:4] == ["Our no.", "Item", "Supplier", "final_code"]
    assert len(rows) == len(NAMES)
    codes = {row["Item"]: row["final_code"] for row in rows}
    undecided = [row["Item"] for row in rows if not row["final_code"] and not row["error"]]
    assert undecided == []
    assert {name: codes[name] for name, _ in corrected} == dict(corrected)

    again = {row["Item"]: row for row in taken_home(page, sent(page, serving, written(tmp_path, "winter.csv")))}
    people = {row["Item"]: row["final_code"] for row in rows if row["decided_by"] == "person"}
    assert len(people) >= waiting
    assert {name: again[name]["final_code"] for name in people} == people
    assert {again[name]["decided_by"] for name in people} == {"precedent"}
