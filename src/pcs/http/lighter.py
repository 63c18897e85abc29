"""Answers that weigh less: not sent again where the caller has them (RFC 9110, 13.1.2), and packed where they are long.

The trap: a layer around everything, which every short poll pays for; the endpoints whose answers are long call this. A
tag is weak, as one answer may go out packed and plain."""

from __future__ import annotations

import asyncio
import gzip
import hashlib

from starlette.requests import Request
from starlette.responses import Response

from pcs.http.openapi import Responses

UNCHANGED: Responses = {304: {"description": "What `If-None-Match` names is still the answer."}}
"""That an endpoint says so where the caller has the answer already."""
_LONG = 16 * 1024
_LEVEL = 4


def tagged(request: Request, response: Response) -> Response:
    """The answer with its tag, or 304 where the caller has it already."""
    tag = f'W/"{hashlib.blake2b(response.body, digest_size=12).hexdigest()}"'
    if is_known(request.headers.get("if-none-match"), tag):
        response = Response(status_code=304)
    response.headers["ETag"] = tag
    return response


def is_known(if_none_match: str | None, tag: str) -> bool:
    """Whether one of the tags that a caller has is this one, be they weak or strong.

    >>> is_known('W/"a", "b"', 'W/"b"'), is_known("*", 'W/"a"'), is_known(None, 'W/"a"')
    (True, True, False)
    """
    if if_none_match is None:
        return False
    known = (one.strip().removeprefix("W/") for one in if_none_match.split(","))
    return any(one in {"*", tag.removeprefix("W/")} for one in known)


async def packed(request: Request, response: Response) -> Response:
    """The answer, gzipped where it is long and the caller takes that; beside the event loop, which others need."""
    if len(response.body) < _LONG:
        return response
    response.headers["Vary"] = "Accept-Encoding"
    if _takes_gzip(request.headers.get("accept-encoding", "")):
        response.body = await asyncio.to_thread(gzip.compress, response.body, _LEVEL)
        response.headers["Content-Encoding"] = "gzip"
        response.headers["Content-Length"] = str(len(response.body))
    return response


def _takes_gzip(accepted: str) -> bool:
    """Whether `gzip` is among the encodings that a caller takes, and not refused with a weight of 0.

    >>> _takes_gzip("br, gzip;q=0.5"), _takes_gzip("gzip;q=0"), _takes_gzip("identity")
    (True, False, False)
    """
    coding = {name.strip().lower(): weight for name, _, weight in (one.partition(";") for one in accepted.split(","))}
    return "gzip" in coding and coding["gzip"].replace(" ", "").rstrip(".0") not in {"q=", "q"}
