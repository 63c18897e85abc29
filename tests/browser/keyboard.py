"""Getting about with keys alone. The trap: a focus that nobody sees; whoever is focused must look different."""

from playwright.sync_api import Page

_FOCUSED = """() => {
  const one = document.activeElement;
  const label = one.labels?.[0]?.innerText || one.getAttribute("aria-label") || one.innerText || one.name || "";
  const frame = one.closest(".choice") ?? one;
  const seen = [one, frame].some((each) => {
    const style = getComputedStyle(each);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
  });
  return { tag: one.tagName, label: label.trim().split("\\n")[0], value: one.value ?? "", seen };
}"""


def tab_to(page: Page, label: str, *, most: int = 80) -> None:
    """Press Tab until what is labelled so has the focus, visibly."""
    walked = []
    for _ in range(most):
        page.keyboard.press("Tab")
        focused = page.evaluate(_FOCUSED)
        walked.append(focused["label"])
        if focused["tag"] not in {"BODY", "MAIN"}:
            assert focused["seen"], f"nobody sees that {focused} has the focus"
        if label in (focused["label"], focused["value"]):
            return
    msg = f"Tab does not reach {label!r}; it reached {walked}"
    raise AssertionError(msg)


def write(page: Page, label: str, text: str) -> None:
    """Tab to a field and type."""
    tab_to(page, label)
    page.keyboard.type(text)


def press(page: Page, label: str, key: str = "Enter") -> None:
    """Tab to a button or link and press it."""
    tab_to(page, label)
    page.keyboard.press(key)
