"""Who sends an API request, and whether there are too many: one look-up before anything else is read.

The trap: rate limit headers missing from just those responses that refuse, so they are added to whatever follows."""

from __future__ import annotations

import datetime as dt
import math

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pcs.base.errors import RefusalError
from pcs.bootstrap import Service
from pcs.http.envelope import is_api
from pcs.http.errors import RateLimitExceededError, fault_response, refusal_response
from pcs.organizations import service as organizations
from pcs.organizations.model import Admission, RateWindow
from pcs.organizations.service import Gatekeeper


class Gate:
    """Pure ASGI middleware; lets a request under `/api/v1` pass with its key in `state`."""

    def __init__(self, app: ASGIApp, service: Service, gatekeeper: Gatekeeper) -> None:
        self._app = app
        self._service = service
        self._gatekeeper = gatekeeper

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or not is_api(scope):
            await self._app(scope, receive, send)
            return
        try:
            admission, now = await self._admit(scope)
        except Exception as fault:  # noqa: BLE001 (answered like any fault; here for the headers that nobody could count)
            limit = self._service.settings.rate_limit_per_minute
            send = _with_window(send, RateWindow(limit, self._service.clock(), 0))
            await fault_response(fault, scope["state"]["request_id"])(scope, receive, send)
            return
        scope["state"]["sender"] = admission.sender
        send = _with_window(send, admission.window)
        refusal = _refusal(admission, now)
        if refusal is not None:
            await refusal_response(refusal, scope["state"]["request_id"])(scope, receive, send)
            return
        scope["state"]["key"] = admission.key
        await self._app(scope, receive, send)

    async def _admit(self, scope: Scope) -> tuple[Admission, dt.datetime]:
        address = scope["client"][0] if scope.get("client") else "unknown"
        token = _bearer(Headers(scope=scope).get("authorization"))
        async with self._service.database.autocommit() as transaction:
            now = self._service.clock()
            admission = await self._gatekeeper.admit(transaction, token, address=address, now=now)
            if admission.key is not None:
                await organizations.remember_use(transaction, admission.key, now=now)
        return admission, now


def _refusal(admission: Admission, now: dt.datetime) -> RefusalError | None:
    if admission.window.exceeded:
        return RateLimitExceededError(max(1, math.ceil((admission.window.resets_at - now).total_seconds())))
    return admission.refusal


def _bearer(authorization: str | None) -> str | None:
    scheme, _, token = (authorization or "").strip().partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def _with_window(send: Send, window: RateWindow) -> Send:
    async def send_with_window(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["X-RateLimit-Limit"] = str(window.limit)
            headers["X-RateLimit-Remaining"] = str(window.remaining)
            headers["X-RateLimit-Reset"] = str(math.ceil(window.resets_at.timestamp()))
        await send(message)

    return send_with_window
