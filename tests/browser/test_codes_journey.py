"""A second factor in a real browser: set up from the picture's key, asked for at the next sign-in, removed again."""

import time

import pyotp

from browser.windows import EMAIL, PASSWORD, Complaints, Dashboard, Serving


def _next_code(totp: pyotp.TOTP, taken: str) -> str:
    """A code that was not used yet: the present one, or the next step's, which counts already."""
    present = totp.at(time.time())
    return present if present != taken else totp.at(time.time() + 30)


def test_a_second_factor_from_the_account_to_the_next_sign_in(
    dashboard: Dashboard, serving: Serving, axe: Complaints
) -> None:
    page = dashboard.open()
    page.goto(f"{serving.dashboard}/live/account")
    page.get_by_role("link", name="Second factor").click()
    assert page.get_by_role("img", name="QR code of the key").bounding_box()["width"] > 150  # type: ignore[index]
    assert axe(page) == []
    key = "".join(page.locator("li code").inner_text().split())
    totp = pyotp.TOTP(key)
    used = totp.at(time.time())
    page.get_by_label("Code", exact=True).fill(used)
    if page.get_by_label("Your password").count():
        page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Turn it on").click()
    page.get_by_role("heading", name="Recovery codes").wait_for()
    codes = page.locator("section.secret li code").all_inner_texts()
    assert len(set(codes)) == 10

    other = dashboard.open(fresh=True, width=390)
    other.goto(f"{serving.dashboard}/sign-in")
    other.get_by_label("E-mail address").fill(EMAIL)
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Sign in").click()
    other.get_by_role("heading", name="Enter the code").wait_for()
    assert axe(other) == []
    other.get_by_label("Code", exact=True).fill(_next_code(totp, used))
    other.get_by_role("button", name="Continue").click()
    other.get_by_role("heading", name="Overview").wait_for()

    page.get_by_label("Code of your app").fill(codes[0])
    page.get_by_role("button", name="Remove the second factor").click()
    page.get_by_text("Second factor removed").wait_for()
