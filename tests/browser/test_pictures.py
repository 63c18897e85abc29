"""The pictures that the README shows. They are taken on every run, and kept where PCS_SCREENSHOTS says."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.windows import TIMEOUT, Dashboard, Serving

expect.set_options(timeout=TIMEOUT)

LARGEST = 250_000  # bytes
CSV = (
    "name,description,identifier,country of origin\n"
    'Men\'s T-shirt,"Knitted, 100% cotton, short sleeves, crew neck",NW-1001,BD\n'
    'Laptop computer,"Portable, 14 inch display, 1.2 kg, 16 GB memory",NW-1002,TW\n'
    'Roasted coffee beans,"Whole beans, arabica, not decaffeinated, 1 kg bag",NW-1003,CO\n'
    'Leather handbag,"Woman\'s shoulder bag, outer surface of cow leather",NW-1004,IT\n'
    'Wooden dining table,"Solid oak, seats six, for household use",NW-1005,PL\n'
    'Lithium-ion battery pack,"Rechargeable, 48 V, 10 Ah, for electric bicycles",NW-1006,CN\n'
    ',"Somebody forgot the name",NW-1007,US\n'
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(os.environ.get("PCS_SCREENSHOTS") or tmp_path_factory.mktemp("pictures"))


def take(page: Page, path: Path) -> None:
    """A picture of what the window shows."""
    page.screenshot(path=path, animations="disabled")
    size = path.stat().st_size
    assert 5_000 < size < LARGEST, f"{path.name} has {size} bytes"


def test_pictures_of_the_dashboard_are_small(
    dashboard: Dashboard, serving: Serving, folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "spring.csv"
    file.write_text(CSV, encoding="utf-8")
    page = dashboard.open()
    page.goto(f"{serving.dashboard}/live/classify")
    page.get_by_label("CSV or Excel file").set_input_files(file)
    page.get_by_role("button", name="Look at the file").click()
    submit = page.get_by_role("button", name="Classify 6 products")
    expect(submit).to_be_visible()  # no picture can be taken of a page that is being left
    take(page, folder / "upload.png")
    submit.click()
    expect(page.get_by_text("12 of 12").first).to_be_visible()
    page.get_by_role("link", name="Laptop computer").first.click()
    one = page.url
    for width, scheme, address, name in (
        (1280, "light", one, "classification.png"),
        (1280, "dark", one, "classification-dark.png"),
        (390, "light", one, "classification-phone.png"),
        (1280, "light", f"{serving.dashboard}/live", "overview.png"),
        (1280, "dark", f"{serving.dashboard}/live/settings/api", "api-keys-dark.png"),
        (390, "dark", f"{serving.dashboard}/live/classifications", "classifications-phone-dark.png"),
    ):
        window = dashboard.open(width=width, scheme=scheme)
        window.goto(address)
        take(window, folder / name)
