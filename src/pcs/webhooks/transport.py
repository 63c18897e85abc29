"""Sends one webhook: no redirects, no proxies, 10 s in all, 64 KiB of the answer read, 2 KiB kept.

The trap: a receiver that never comes to an end; what has come by then is all that counts."""

from __future__ import annotations

import asyncio
import datetime as dt
import time
from collections.abc import Mapping
from dataclasses import dataclass

import httpcore2

from pcs.base.text import shortened, storable
from pcs.webhooks.addresses import AddressPolicy, RefusedAddressError
from pcs.webhooks.dialling import vetted_connections
from pcs.webhooks.model import Attempt
from pcs.webhooks.resolving import Resolve, UnresolvedError, resolve

_READ_BYTES = 64 * 1024
_KEPT_BYTES = 2 * 1024
_KEPT_ERROR = 500
_FAILURES = (
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.TimeoutException,
    httpcore2.UnsupportedProtocol,
    OSError,
)

_WORDS = (
    (httpcore2.ConnectError, "could not connect"),
    (httpcore2.NetworkError, "the connection broke off"),
    (httpcore2.ProtocolError, "the answer is not HTTP"),
)
_UNTRUSTED, _ALL_FAILED = "certificate verify failed: ", "All connection attempts failed"


@dataclass(frozen=True, slots=True)
class Sending:
    """What goes where."""

    url: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(slots=True)
class _Answer:
    """As much as has come: a status counts even where the rest breaks off."""

    status: int | None = None
    kept: bytes = b""
    read: int = 0


class Transport:
    """Sends webhooks under one address policy. Open one a process; `close` it at the end."""

    def __init__(self, policy: AddressPolicy, *, timeout_seconds: float, resolver: Resolve = resolve) -> None:
        self._policy = policy
        self._timeout = timeout_seconds
        self._pool = vetted_connections(policy, resolver)

    async def send(self, sending: Sending, *, now: dt.datetime) -> Attempt:
        """Post once. Every outcome is an attempt: a status, or an error in words."""
        started = time.monotonic()
        answer = _Answer()
        error: str | None = None
        try:
            self._policy.check_url(sending.url)
            async with asyncio.timeout(self._timeout):
                await self._post(sending, answer)
        except TimeoutError:
            error = f"no answer within {self._timeout:g} s"
        except RefusedAddressError as refusal:
            error = f"refused: the URL {refusal}"
        except UnresolvedError as failure:
            error = str(failure)
        except _FAILURES as failure:
            error = shortened(storable(_in_words(failure), "\N{REPLACEMENT CHARACTER}"), _KEPT_ERROR)
        return Attempt(
            started_at=now,
            duration_ms=round((time.monotonic() - started) * 1000),
            response_status=answer.status,
            response_body=None if answer.status is None else _printable(answer.kept),
            error=error,
        )

    async def _post(self, sending: Sending, answer: _Answer) -> None:
        headers = [(name.encode(), value.encode()) for name, value in sending.headers.items()]
        request = self._pool.stream("POST", sending.url, headers=headers, content=sending.body)
        async with request as response:
            answer.status = response.status
            async for chunk in response.aiter_stream():
                answer.kept += chunk[: _KEPT_BYTES - len(answer.kept)]
                answer.read += len(chunk)
                if answer.read >= _READ_BYTES:
                    break

    async def close(self) -> None:
        """Close what is open."""
        await self._pool.aclose()


def _in_words(failure: Exception) -> str:
    """What went wrong, for the owner of the endpoint: a certificate's fault, or what could not be done and why."""
    detail = str(failure)
    if _UNTRUSTED in detail:
        return f"the certificate is not trusted: {detail.partition(_UNTRUSTED)[2].partition(' (_ssl')[0]}"
    words = next((words for kind, words in _WORDS if isinstance(failure, kind)), "could not be sent")
    return words if detail in {"", _ALL_FAILED} else f"{words}: {detail}"


def _printable(body: bytes) -> str:
    return body.decode("utf-8", errors="replace").replace("\x00", "\N{REPLACEMENT CHARACTER}")
