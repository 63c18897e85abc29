"""The documentation site has every page. The trap: a page that nobody finds, as the navigation was written by hand."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_page_is_in_the_navigation_once() -> None:
    named = re.findall(r": ([\w/.-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(named) == sorted(str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md"))
