"""The server with limits: of a request's head, of the time to send it, and of connections (docs/adr/0011).

The trap: a parser that buffers a header without end and waits for it for ever; so bytes that have led to nothing are
counted, each phase has its time, and every refusal is the interface's own, with a request id."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import httptools
import structlog
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from pcs.base import ids
from pcs.http.envelope import HEADERS
from pcs.http.errors import INVALID, UNAVAILABLE, ErrorKind, error_response

_log = structlog.get_logger(__name__)

LARGEST_HEAD = 32 * 1024  # bytes of the request line and all headers: twice what browsers and proxies send at most
LINGER = 2.0  # seconds in which a refused caller may still read why, while what it sends is thrown away
TOO_LARGE_HEAD = ErrorKind(431, "INVALID_REQUEST", "invalid_request_error")
TOO_SLOW = ErrorKind(408, "INVALID_REQUEST", "invalid_request_error")


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """Of one process: connections at once; seconds for a request's head, and for its body or to take an answer in."""

    connections: int
    head_seconds: float
    body_seconds: float


class _RefusedError(Exception):
    pass


def limited(limits: ServerLimits) -> type[asyncio.Protocol]:
    """The protocol of a server with these limits."""

    class Limited(_LimitedProtocol):
        allowed = limits

    return Limited


class _LimitedProtocol(HttpToolsProtocol):
    allowed: ServerLimits
    _unread = 0  # bytes that have led to nothing yet
    _head = 0
    _refused = False
    _timer: asyncio.TimerHandle | None = None
    _why: tuple[ErrorKind, str] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.allowed.connections:
            self._refuse(UNAVAILABLE, "Too many connections are open; try again shortly.")
        else:
            self._wait(self.allowed.head_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        self._unread += len(data)
        super().data_received(data)
        if self._unread > LARGEST_HEAD and not self._refused:
            self._refuse(TOO_LARGE_HEAD, f"The request's headers have more than {LARGEST_HEAD // 1024} KiB.")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head = 0
        self._wait(self.allowed.head_seconds)

    def on_url(self, url: bytes) -> None:
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._count(len(name) + len(value))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._unread = 0
        hosts = sum(name == b"host" for name, _ in self.headers)
        if hosts > 1 or (hosts == 0 and self.parser.get_http_version() != "1.0"):
            self._fail(INVALID, "Send exactly one Host header.")
        try:
            httptools.parse_url(self.url)
        except httptools.HttpParserInvalidURLError:
            self._fail(INVALID, "The address is not valid in HTTP.")
        self._wait(self.allowed.body_seconds)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._unread = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unread = 0
        self._wait(None)
        super().on_message_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._wait(self.allowed.body_seconds)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._wait(None)

    def send_400_response(self, msg: str) -> None:
        kind, message = self._why or (INVALID, "This is not a valid HTTP request.")
        _log.debug("parser refused", said=msg)
        self._refuse(kind, message)

    def _count(self, size: int) -> None:
        self._head += size
        if self._head > LARGEST_HEAD:
            self._fail(TOO_LARGE_HEAD, f"The request's headers have more than {LARGEST_HEAD // 1024} KiB.")

    def _fail(self, kind: ErrorKind, message: str) -> None:
        """Stop the parser, which then calls `send_400_response`."""
        self._why = kind, message
        raise _RefusedError

    def _wait(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self._too_slow)

    def _too_slow(self) -> None:
        if self._refused or self.flow.write_paused or self.scope is None or self._answered:
            self.transport.abort()
        else:
            self._refuse(TOO_SLOW, "The request took too long to arrive.")

    @property
    def _answered(self) -> bool:
        """Whether a request of this connection has its answer or gets it now."""
        return self.cycle is not None and self.cycle.response_started

    def _refuse(self, kind: ErrorKind, message: str) -> None:
        """Answer, and close once the caller has had time to read it; what else it sends is thrown away."""
        self._refused = True
        self._unset_keepalive_if_required()
        self._wait(LINGER)
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.keep_alive = False  # a request before it is being answered, or will find nobody there
            if self.cycle.response_started or self.scope is not self.cycle.scope:
                return
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        request_id = ids.new_id(ids.REQUEST)
        _log.info("request refused", request_id=request_id, status=kind.status, client=self.client and self.client[0])
        self.transport.write(_written(kind, message, request_id))
        self.transport.write_eof()


def _written(kind: ErrorKind, message: str, request_id: str) -> bytes:
    """A refusal as it goes over the wire."""
    response = error_response(kind, message, request_id)
    ours: dict[str, Any] = {**HEADERS, "X-Request-ID": request_id, "Cache-Control": "no-store", "Connection": "close"}
    lines = [*response.raw_headers, *((name.encode(), value.encode()) for name, value in ours.items())]
    head = b"".join(name + b": " + value + b"\r\n" for name, value in lines)
    return STATUS_LINE[kind.status] + head + b"\r\n" + bytes(response.body)
