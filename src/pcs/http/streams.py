"""Answers that are streams of server-sent events (WHATWG HTML, "Server-sent events")."""

from __future__ import annotations

from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import StreamingResponse

from pcs.http.openapi import Responses

_EVENT_STREAM = "text/event-stream"
STREAMED: Responses = {200: {"content": {_EVENT_STREAM: {"schema": {"type": "string"}}}}}
"""That an endpoint answers with a stream where one is asked for."""


def wants_stream(request: Request) -> bool:
    """Whether a request asks for a stream."""
    return _EVENT_STREAM in request.headers.get("accept", "")


def streamed(parts: AsyncIterator[bytes]) -> StreamingResponse:
    """A stream, which proxies are asked to pass on as it comes."""
    return StreamingResponse(parts, headers={"X-Accel-Buffering": "no"}, media_type=_EVENT_STREAM)
