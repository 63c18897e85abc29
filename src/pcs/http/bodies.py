"""What a body may be: JSON, of a size counted while it streams, and not nested without end.

The traps: believing Content-Length, parsing before measuring, and a parser that takes what is not JSON."""

from __future__ import annotations

import json
import re

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pcs.base.errors import InvalidRequestError, RefusalError, Violation
from pcs.http.envelope import is_api
from pcs.http.errors import PayloadTooLargeError, UnsupportedMediaTypeError, refusal_response

LARGEST = 256 * 1024
LARGEST_BULK = 2 * 1024 * 1024
DEEPEST = 16

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_BRACKETS = re.compile(rb"[\[\]{}]")


class BodyGuard:
    """Pure ASGI middleware; reads a body whole, checks it, and hands it on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or not is_api(scope) or scope["method"] in {"GET", "HEAD", "OPTIONS"}:
            await self._app(scope, receive, send)
            return
        try:
            body = await _read(scope, receive)
        except RefusalError as refusal:
            await refusal_response(refusal, scope["state"]["request_id"])(scope, receive, send)
            return
        await self._app(scope, _replay(body, receive), send)


async def _read(scope: Scope, receive: Receive) -> bytes:
    limit = LARGEST_BULK if scope["path"].rstrip("/").endswith("/bulk") else LARGEST
    body = bytearray()
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message["type"] == "http.request" and message.get("more_body", False)
        if len(body) > limit:
            msg = f"The body has more than {limit // 1024} KiB."
            raise PayloadTooLargeError(msg)
    if body:
        _check(Headers(scope=scope), bytes(body))
    return bytes(body)


def _check(headers: Headers, body: bytes) -> None:
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        msg = "Send a JSON body with Content-Type: application/json."
        raise UnsupportedMediaTypeError(msg)
    if headers.get("content-encoding", "identity").lower() != "identity":
        msg = "Send the body as it is, without Content-Encoding."
        raise UnsupportedMediaTypeError(msg)
    if nesting(body) > DEEPEST:
        raise InvalidRequestError(Violation("body", f"must not be nested deeper than {DEEPEST}"))
    fault = _fault(body)
    if fault is not None:
        raise InvalidRequestError(Violation("body", f"must be valid JSON: {fault}"))


def _fault(body: bytes) -> str | None:
    """Why a body is not JSON (RFC 8259); the framework's own parser takes more and says less."""
    try:
        json.loads(body.decode("utf-8-sig"), parse_constant=_refuse)
    except UnicodeDecodeError as error:
        return f"it is not UTF-8 at byte {error.start}"
    except json.JSONDecodeError as error:
        return f"{error.msg[:1].lower()}{error.msg[1:]} at line {error.lineno}, column {error.colno}"
    except _ConstantError as error:
        return f"{error} is not a JSON value"
    except ValueError:
        return "a number has too many digits"
    return None


class _ConstantError(ValueError):
    """NaN or Infinity, which Python reads and JSON does not have."""


def _refuse(constant: str) -> None:
    raise _ConstantError(constant)


def nesting(body: bytes) -> int:
    r"""How deep a JSON text is nested; of any other text, an upper bound that is good enough to refuse it.

    >>> nesting(b'{"a": [1, {"b": "[[["}]}')
    3
    """
    depth = deepest = 0
    for bracket in _BRACKETS.findall(_STRING.sub(b"", body)):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _replay(body: bytes, receive: Receive) -> Receive:
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay
