"""In which language somebody reads the official words: what they chose last, or else what their browser prefers.

The trap: a choice that only one page knows; the page on which it is made remembers it for all of them."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from pcs.base.languages import language_names, preferred
from pcs.dashboard.security import LANGUAGE_COOKIE, set_cookie

_YEAR = 365 * 24 * 3600


def languages(request: Request) -> tuple[str, ...]:
    """The languages that are wanted, ISO 639-1, the one wanted most first."""
    chosen = _chosen(request) or _known(request.cookies.get(LANGUAGE_COOKIE, ""))
    return (chosen,) if chosen else preferred(request.headers.get("accept-language", ""))


def in_language(request: Request, language: str) -> str:
    """The query of a page's address with this language in it."""
    return urlencode({**request.query_params, "language": language})


def remembering(request: Request, response: Response) -> Response:
    """A response that has the browser remember the language which the address asked for, if any."""
    if response.status_code == 200 and (chosen := _chosen(request)):
        set_cookie(response, LANGUAGE_COOKIE, chosen, seconds=_YEAR)
    return response


def _chosen(request: Request) -> str:
    return _known(request.query_params.get("language", ""))


def _known(code: str) -> str:
    """A code of ISO 639-1; empty for any other text."""
    return code if code in language_names() else ""
