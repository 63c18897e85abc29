"""Who sends an API request, and whether there are too many: one look-up before anything else is read.

The trap: rate limit headers missing from just those responses that refuse, so they are added to whatever follows."""

from __future__ import annotations

import datetime as dt
import math

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pcs.base.errors import RefusalError
from pcs.bootstrap import Service
from pcs.classifications.polling import Poll
from pcs.http.envelope import is_api
from pcs.http.errors import RateLimitExceededError, fault_response, refusal_response
from pcs.http.polls import Polls
from pcs.organizations.model import Admission, RateWindow
from pcs.organizations.service import Gatekeeper, find_key_and_count


class Gate:
    """Pure ASGI middleware; lets a request under `/api/v1` pass with its key in `state`."""

    def __init__(self, app: ASGIApp, service: Service, gatekeeper: Gatekeeper) -> None:
        self._app = app
        self._service = service
        self._gatekeeper = gatekeeper
        self._polls = Polls(app)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or not is_api(scope):
            await self._app(scope, receive, send)
            return
        poll = self._polls.asked(scope)
        try:
            admission, now = await self._admit(scope, poll)
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
        if poll is None or admission.key is None:
            await self._app(scope, receive, send)
        else:
            await self._polls.answer(poll, admission.key, scope, receive, send)

    async def _admit(self, scope: Scope, poll: Poll | None) -> tuple[Admission, dt.datetime]:
        address = scope["client"][0] if scope.get("client") else "unknown"
        token = _bearer(Headers(scope=scope).get("authorization"))
        now = self._service.clock()
        find = poll or find_key_and_count
        return await self._gatekeeper.admit(token, address=address, now=now, find=find), now


def _refusal(admission: Admission, now: dt.datetime) -> RefusalError | None:
    if admission.window.exceeded:
        return RateLimitExceededError(max(1, math.ceil((admission.window.resets_at - now).total_seconds())))
    return admission.refusal


def _bearer(authorization: str | None) -> str | None:
    scheme, _, token = (authorization or "").strip().partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def _with_window(send: Send, window: RateWindow) -> Send:
    told = [
        (b"x-ratelimit-limit", b"%d" % window.limit),
        (b"x-ratelimit-remaining", b"%d" % window.remaining),
        (b"x-ratelimit-reset", b"%d" % math.ceil(window.resets_at.timestamp())),
    ]

    async def send_with_window(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *told]
        await send(message)

    return send_with_window
