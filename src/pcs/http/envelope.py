"""The outermost layer: our own request id on every response, no caching of the API, and no fault without a body.

The trap: an exception in another middleware, which the framework's handlers never see."""

from __future__ import annotations

import time

import structlog
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pcs.base import ids
from pcs.http.errors import fault_response

API_PREFIX = "/api/v1"
ASSISTANTS_PATH = "/mcp"

_log = structlog.get_logger(__name__)


class Envelope:
    """Pure ASGI middleware around everything else."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = scope.setdefault("state", {})["request_id"] = ids.new_id(ids.REQUEST)
        structlog.contextvars.bind_contextvars(request_id=request_id)
        status, began, asked = 0, time.monotonic(), scope["method"]
        if asked == "HEAD":
            scope = {**scope, "method": "GET"}  # the same answer; the server leaves its body out

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = request_id
                if is_api(scope):
                    headers["Cache-Control"] = "no-store"
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except Exception as fault:  # noqa: BLE001 (the last resort: logged, and answered if it still can be)
            if not status:
                await fault_response(fault, request_id)(scope, receive, send_with_headers)
        finally:
            took = round((time.monotonic() - began) * 1000, 1)
            _log.info("request", method=asked, path=scope["path"], status=status, milliseconds=took)
            structlog.contextvars.unbind_contextvars("request_id")


def is_api(scope: Scope) -> bool:
    """Whether a request is one of the API's, or an assistant's, and so needs a key."""
    path = str(scope["path"])
    return path in {API_PREFIX, ASSISTANTS_PATH} or path.startswith((f"{API_PREFIX}/", f"{ASSISTANTS_PATH}/"))
