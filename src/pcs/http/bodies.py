"""What a body may be: JSON, of a size counted while it streams, and not nested without end.

The traps: believing Content-Length, a parser that takes what is not JSON, and a body parsed again by each layer: it is
parsed here, once, and `BodyRoute` hands the value on."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pcs.base.errors import InvalidRequestError, RefusalError, Violation
from pcs.http.envelope import is_api
from pcs.http.errors import PayloadTooLargeError, UnsupportedMediaTypeError, refusal_response
from pcs.uploads.model import LIMITS
from pcs.wire.base import API_PREFIX

LARGEST = 256 * 1024
LARGEST_BULK = 2 * 1024 * 1024
LARGEST_UPLOAD = LIMITS.bytes + 1024 * 1024  # a file, and what stands around it
DEEPEST = 16


class BodyGuard:
    """Pure ASGI middleware; reads a body whole, checks and parses it, and hands both on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or not is_api(scope) or scope["method"] in {"GET", "HEAD", "OPTIONS"}:
            await self._app(scope, receive, send)
            return
        if is_upload(scope):
            await self._app(scope, _counted(receive), send)
            return
        try:
            body = await _read(scope, receive)
            if body:
                _check(Headers(scope=scope))
                scope["state"]["body"] = parsed(body)
        except RefusalError as refusal:
            await refusal_response(refusal, scope["state"]["request_id"])(scope, receive, send)
            return
        await self._app(scope, _replay(body, receive), send)


def is_upload(scope: Scope) -> bool:
    """Whether the body is a file, which its endpoint streams to the disk."""
    return str(scope["path"]) == f"{API_PREFIX}/uploads"


def _counted(receive: Receive) -> Receive:
    """The same body, and PayloadTooLargeError in the place of one byte too many."""
    received = 0

    async def counted() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > LARGEST_UPLOAD:
            msg = f"The body has more than {LARGEST_UPLOAD // 1024 // 1024} MiB: cut the file into several."
            raise PayloadTooLargeError(msg)
        return message

    return counted


class BodyRoute(APIRoute):
    """An endpoint that takes the value which the guard has parsed."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """See the base class."""
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            return await handle(_ParsedRequest(request.scope, request.receive))

        return handled


class _ParsedRequest(Request):
    async def json(self) -> Any:  # noqa: ANN401 (any JSON)
        return self.scope["state"].get("body")


async def _read(scope: Scope, receive: Receive) -> bytes:
    """The whole body. Raises PayloadTooLargeError, and ClientDisconnect where the rest will never come."""
    limit = LARGEST_BULK if scope["path"].rstrip("/").endswith("/bulk") else LARGEST
    body = bytearray()
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > limit:
            msg = f"The body has more than {limit // 1024} KiB."
            raise PayloadTooLargeError(msg)
    return bytes(body)


def _check(headers: Headers) -> None:
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        msg = "Send a JSON body with Content-Type: application/json."
        raise UnsupportedMediaTypeError(msg)
    if headers.get("content-encoding", "identity").lower() != "identity":
        msg = "Send the body as it is, without Content-Encoding."
        raise UnsupportedMediaTypeError(msg)


def parsed(body: bytes) -> object:
    """The value of a JSON text (RFC 8259), in linear time. Raises InvalidRequestError that says where it is none."""
    try:
        value = json.loads(body.decode("utf-8-sig"), parse_constant=_refuse)
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise InvalidRequestError(Violation("body", f"must be valid JSON: {_told(error)}")) from None
    if depth(value, most=DEEPEST) > DEEPEST:
        raise _too_deep()
    return value


def depth(value: object, *, most: int) -> int:
    """How deep a value is nested, counted up to one more than `most`.

    >>> depth({"a": [1, {"b": "[[["}]}, most=16), depth([[[[]]]], most=1)
    (3, 2)
    """
    level, deep = [value], 0
    while deep <= most and (level := [one for one in level if isinstance(one, (dict, list))]):
        level = [inner for one in level for inner in (one.values() if isinstance(one, dict) else one)]
        deep += 1
    return deep


def _too_deep() -> InvalidRequestError:
    return InvalidRequestError(Violation("body", f"must not be nested deeper than {DEEPEST}"))


def _told(error: ValueError) -> str:
    """Why a text is not JSON; the framework's own parser takes more and says less."""
    if isinstance(error, UnicodeDecodeError):
        return f"it is not UTF-8 at byte {error.start}"
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg[:1].lower()}{error.msg[1:]} at line {error.lineno}, column {error.colno}"
    return f"{error} is not a JSON value" if isinstance(error, _ConstantError) else "a number has too many digits"


class _ConstantError(ValueError):
    """NaN or Infinity, which Python reads and JSON does not have."""


def _refuse(constant: str) -> None:
    raise _ConstantError(constant)


def _replay(body: bytes, receive: Receive) -> Receive:
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay
