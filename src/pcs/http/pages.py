"""Pages that this door renders: the reference and the printable record. The trap: text of a customer that becomes
markup; everything is escaped, and the pages load nothing from anywhere."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

_FOLDER = Path(__file__).with_name("templates")
STYLE = (_FOLDER / "style.css").read_text(encoding="utf-8")
_STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()

PAGE_HEADERS = {
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def render(template: str, **values: object) -> str:
    """A page from its template, everything escaped."""
    return _environment().get_template(template).render(style=STYLE, **values)


@cache
def _environment() -> Environment:
    loader = FileSystemLoader(_FOLDER)
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
