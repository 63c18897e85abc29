"""Events taken to a program on this machine, as the service would deliver them: same headers, same bytes, signed.

The trap: an event that is passed over because the program is just restarting; it is tried again for a while."""

from __future__ import annotations

import datetime as dt
import time
from types import TracebackType
from typing import Self

import httpx2

from pcs.base import ids
from pcs.cli.event_stream import Message
from pcs.webhooks import signing
from pcs.webhooks.model import delivery_headers

_PAUSES = (0.5, 1.0, 2.0, 4.0)  # seconds, while nobody listens there


class Forwarder:
    """Posts to one address, one event after the other."""

    def __init__(self, url: str, secret: str) -> None:
        self._url = url
        self._secret = secret
        self._client = httpx2.Client(trust_env=False, timeout=10)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def forward(self, message: Message) -> tuple[bool, str]:
        """Whether the program took an event (2xx), and what it answered, or why it could not be reached."""
        began = time.monotonic()
        for pause in (*_PAUSES, None):
            try:
                response = self._client.post(self._url, content=message.body, headers=self._headers(message))
            except httpx2.ConnectError:
                if pause is None:
                    return False, f"nobody listens at {self._url}"
                time.sleep(pause)
            except httpx2.TransportError as error:
                return False, f"no answer ({type(error).__name__})"
            else:
                took = f"{(time.monotonic() - began) * 1000:.0f} ms"
                return response.is_success, f"{response.status_code} in {took}"
        raise AssertionError

    def _headers(self, message: Message) -> dict[str, str]:
        delivery = message.id.replace(ids.EVENT, ids.DELIVERY, 1)  # the same whenever it is forwarded
        now = dt.datetime.now(dt.UTC)
        return {
            **delivery_headers(message.kind, delivery),
            **signing.headers(message.id, message.body, [self._secret], now=now),
        }
