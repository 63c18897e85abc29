"""What keeps a page from harm: headers, cookies, and the proof that a form is ours.

The trap: a check that holds only where the browser is new; Fetch Metadata or Origin is asked for, and a form token in
any case (OWASP, Cross-Site Request Forgery Prevention)."""

from __future__ import annotations

import hmac
import secrets as randomness
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.responses import Response

from pcs.base.secrets import Secrets

SESSION_COOKIE = "__Host-pcs_session"
FORM_COOKIE = "__Host-pcs_form"
THEME_COOKIE = "__Host-pcs_theme"
LANGUAGE_COOKIE = "__Host-pcs_language"
KNOWN_COOKIE = "__Host-pcs_known"
STEP_COOKIE = "__Host-pcs_step"
PROVIDER_COOKIE = "__Host-pcs_provider"
_TOKEN_LENGTH = 43

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""On every answer; `Referrer-Policy: no-referrer` would take the Origin from our own forms too."""


def comes_from_us(headers: Mapping[str, str]) -> bool:
    """Whether a request that changes something was made by a page of ours, as far as the browser says.

    >>> comes_from_us({"sec-fetch-site": "same-origin"}), comes_from_us({"sec-fetch-site": "cross-site"})
    (True, False)
    >>> comes_from_us({"origin": "http://a:1", "host": "a:1"}), comes_from_us({"origin": "null", "host": "a"})
    (True, False)
    >>> comes_from_us({"host": "a"})
    False
    """
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = headers.get("origin")
    return origin is not None and bool(host := headers.get("host")) and urlsplit(origin).netloc == host


def form_token(secrets: Secrets, holder: str) -> str:
    """What a form carries to show that it is ours: bound to one session, or to one browser before the sign-in."""
    return secrets.digest(f"form {holder}").hex()[:_TOKEN_LENGTH]


def is_form_token(secrets: Secrets, holder: str, given: str) -> bool:
    """Whether a form carries the right token."""
    return hmac.compare_digest(form_token(secrets, holder).encode(), given.encode("utf-8", "replace"))


def new_mark(secrets: Secrets, member_id: str) -> str:
    """What a browser keeps to show later that this member has signed in with it."""
    mark = randomness.token_urlsafe(16)
    return f"{mark}.{_signed_mark(secrets, member_id, mark)}"


def known_browser(secrets: Secrets, member_id: str, kept: str) -> str | None:
    """The mark of a browser in which this member has signed in; None for any other, and for one that was made up."""
    mark, _, signature = kept.partition(".")
    right = _signed_mark(secrets, member_id, mark)
    return mark if hmac.compare_digest(right.encode(), signature.encode("utf-8", "replace")) else None


def _signed_mark(secrets: Secrets, member_id: str, mark: str) -> str:
    return secrets.digest(f"browser of {member_id} {mark}").hex()[:_TOKEN_LENGTH]


def set_cookie(response: Response, name: str, value: str, *, seconds: int | None = None) -> None:
    """A cookie that only this host sees, only over https (browsers count 127.0.0.1 as such), and no script."""
    response.set_cookie(name, value, max_age=seconds, path="/", secure=True, httponly=True, samesite="lax")


def drop_cookie(response: Response, name: str) -> None:
    """Let the browser forget a cookie."""
    response.delete_cookie(name, path="/", secure=True, httponly=True, samesite="lax")
