"""Answers to polls that are ready: a classification is asked for again and again, and put together once a version.

The trap: an answer that outlives what it says. The database tells the row's version in the statement that admits the
request, so that a key, a limit and a row are as fresh as ever; only the putting together is spared."""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pcs.base import ids
from pcs.classifications.polling import Poll, Polling
from pcs.organizations.model import ApiKey
from pcs.organizations.model import Scope as Right
from pcs.wire.base import API_PREFIX

_KEPT = 2_000  # answers of some kilobytes
_LARGEST = 64 * 1024
_APART = frozenset({b"prefer", b"if-none-match"})  # who sends one of these asks for more than the answer as it is
_PATH = re.compile(f"{API_PREFIX}/classifications/({ids.CLASSIFICATION}_{ids.SHAPE})")


@dataclass(frozen=True, slots=True)
class _Ready:
    version: str
    body: bytes
    headers: list[tuple[bytes, bytes]]
    route: Any
    """What the framework matched, for metrics and traces."""


class Polls:
    """The latest answers of one process."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._polling = Polling()
        self._ready: OrderedDict[tuple[str, str, str], _Ready] = OrderedDict()

    def asked(self, scope: Scope) -> Poll | None:
        """The look-up for a poll of one classification as it is; None for every other request."""
        if scope["method"] != "GET" or scope["query_string"] or any(name in _APART for name, _ in scope["headers"]):
            return None
        found = _PATH.fullmatch(scope["path"])
        return Poll(self._polling, found[1]) if found else None

    async def answer(self, poll: Poll, key: ApiKey, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a poll that was admitted."""
        version = poll.version
        if version is None or Right.CLASSIFICATIONS_READ not in key.scopes:
            await self._app(scope, receive, send)
            return
        place = (key.tenant.organization_id, key.tenant.environment, scope["path"])
        ready = self._ready.get(place)
        if ready is None or ready.version != version:
            ready = await self._made(version, scope, receive, send)
            if ready is not None:
                self._keep(place, ready)
            return
        self._ready.move_to_end(place)
        scope["route"] = ready.route
        await send({"type": "http.response.start", "status": 200, "headers": list(ready.headers)})
        await send({"type": "http.response.body", "body": ready.body})

    async def _made(self, version: str, scope: Scope, receive: Receive, send: Send) -> _Ready | None:
        """Have it put together, and overhear it. The version was read before, so the answer is as new or newer."""
        status, headers, parts = 0, list[tuple[bytes, bytes]](), list[bytes]()

        async def overhear(message: Message) -> None:
            nonlocal status, headers
            if message["type"] == "http.response.start":
                status, headers = message["status"], list(message["headers"])  # before others add their own
            else:
                parts.append(message.get("body", b""))
            await send(message)

        await self._app(scope, receive, overhear)
        body = b"".join(parts)
        return _Ready(version, body, headers, scope["route"]) if status == 200 and len(body) <= _LARGEST else None

    def _keep(self, place: tuple[str, str, str], ready: _Ready) -> None:
        self._ready[place] = ready
        if len(self._ready) > _KEPT:
            self._ready.popitem(last=False)
