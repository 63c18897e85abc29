"""The outermost layer: our own request id on every response, no caching of the API, no fault without a body; each
request is logged, counted and traced.

The trap: an exception in another middleware, which the framework's handlers never see."""

from __future__ import annotations

import time

import structlog
from opentelemetry.trace import Span, SpanKind
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pcs.base import ids, tracing
from pcs.base.tenancy import Environment
from pcs.bootstrap import Service
from pcs.http.errors import fault_response
from pcs.http.recording import line_of
from pcs.wire.base import API_PREFIX

ASSISTANTS_PATH = "/mcp"
LEFT = 499  # as nginx has it: the caller went away before the whole request was here
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}
"""What every answer carries unless it says otherwise: nobody's browser runs, frames or guesses at it."""

_RAW = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
_NOT_STORED = [(b"cache-control", b"no-store")]

_log = structlog.get_logger(__name__)


class Envelope:
    """Pure ASGI middleware around everything else."""

    def __init__(self, app: ASGIApp, environment: Environment, service: Service) -> None:
        self._app = app
        self._environment = environment
        self._service = service
        self._metrics = service.metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = ids.new_id(ids.REQUEST)
        scope.setdefault("state", {}).update(request_id=request_id, service=self._service)
        with (
            structlog.contextvars.bound_contextvars(request_id=request_id),
            tracing.span(scope["method"], SpanKind.SERVER, after=Headers(scope=scope)) as span,
        ):
            span.set_attribute("pcs.request_id", request_id)
            began = time.monotonic()
            status = await self._answer(scope, receive, send)
            seconds = time.monotonic() - began
            self._note(scope, status, seconds, span)
            if line := line_of(scope, status, seconds, self._service):
                self._service.recorder.add(line)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> int:
        """Pass the request on; the status of the answer."""
        request_id: str = scope["state"]["request_id"]
        status = 0
        asked = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope  # the server leaves the body out

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _add_headers(scope, message)
            elif not message.get("more_body"):
                scope["state"]["last_part"] = message.get("body", b"")
            await send(message)

        try:
            await self._app(asked, receive, send_with_headers)
        except ClientDisconnect:
            status = status or LEFT
        except Exception as fault:  # noqa: BLE001 (the last resort: logged, and answered if it still can be)
            if not status:
                await fault_response(fault, request_id)(scope, receive, send_with_headers)
        scope["route"] = asked.get("route")
        return status

    def _note(self, scope: Scope, status: int, seconds: float, span: Span) -> None:
        """Log, count and trace an answered request."""
        method = scope["method"]
        _log.info("request", method=method, path=scope["path"], status=status, milliseconds=round(seconds * 1000, 1))
        route = _route(scope)
        self._metrics.requests.labels(self._environment, method, route, status).inc()
        self._metrics.request_seconds.labels(self._environment, route).observe(seconds)
        span.update_name(f"{method} {route}")
        span.set_attributes({"http.request.method": method, "http.route": route, "http.response.status_code": status})
        if status >= 500:
            tracing.fail(span, f"answered {status}")


def _add_headers(scope: Scope, message: Message) -> None:
    told = message["headers"]
    said = {name for name, _ in told}
    own = [(b"x-request-id", scope["state"]["request_id"].encode()), *(_NOT_STORED if is_api(scope) else ())]
    message["headers"] = [*told, *own, *(pair for pair in _RAW if pair[0] not in said)]


def _route(scope: Scope) -> str:
    """The template of the address, such as `/api/v1/products/{product_id}`: never what a caller made up."""
    path: str = getattr(scope.get("route"), "path", "unmatched")
    return f"{API_PREFIX}{path}" if scope["path"].startswith(f"{API_PREFIX}/") and path[0] == "/" else path


def is_api(scope: Scope) -> bool:
    """Whether a request is one of the API's, or an assistant's, and so needs a key."""
    path = str(scope["path"])
    return path in {API_PREFIX, ASSISTANTS_PATH} or path.startswith((f"{API_PREFIX}/", f"{ASSISTANTS_PATH}/"))
