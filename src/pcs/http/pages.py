"""Pages that the API renders: the reference and the printable record. The trap: text of a customer that becomes
markup; everything is escaped, and the pages load nothing from anywhere."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from pcs.engine.result import percent

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
    pages = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    pages.filters |= {"marked": marked, "percent": percent}
    return pages


def marked(text: str) -> Markup:
    """Our own descriptions with what stands between backticks as code; all else is escaped.

    >>> str(marked("Send `a<b` & wait, `x"))
    'Send <code>a&lt;b</code> &amp; wait, `x'
    """
    *pairs, last = text.split("`")
    if len(pairs) % 2:  # one without its partner stays
        last = f"{pairs.pop()}`{last}"
    parts = [Markup("<code>{}</code>").format(part) if place % 2 else escape(part) for place, part in enumerate(pairs)]
    return Markup("").join([*parts, escape(last)])
