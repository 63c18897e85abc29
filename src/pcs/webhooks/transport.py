"""Sends one webhook: no redirects, no proxies, 10 s in all, 64 KiB of the answer read, 2 KiB kept.

The trap: a name checked first and resolved again to connect may point elsewhere by then (DNS rebinding), so every
resolved address is checked at connect time and the very address that was checked is dialled."""

from __future__ import annotations

import asyncio
import datetime as dt
import ipaddress
import socket
import ssl
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import httpcore2
from httpcore2 import AnyIOBackend, AsyncNetworkBackend, AsyncNetworkStream

from pcs.webhooks.addresses import Address, AddressPolicy, RefusedAddressError
from pcs.webhooks.model import Attempt

_READ_BYTES = 64 * 1024
_KEPT_BYTES = 2 * 1024


@dataclass(frozen=True, slots=True)
class Sending:
    """What goes where."""

    url: str
    headers: Mapping[str, str]
    body: bytes


class Transport:
    """Sends webhooks under one address policy. Open one a process; `close` it at the end."""

    def __init__(self, policy: AddressPolicy, *, timeout_seconds: float) -> None:
        self._policy = policy
        self._timeout = timeout_seconds
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=ssl.create_default_context(),
            max_connections=100,
            max_keepalive_connections=0,  # each delivery checks and dials anew
            network_backend=_VettedBackend(policy),
        )

    async def send(self, sending: Sending, *, now: dt.datetime) -> Attempt:
        """Post once. Every outcome is an attempt: a status, or an error in words."""
        started = time.monotonic()
        status: int | None = None
        body: bytes | None = None
        error: str | None = None
        try:
            self._policy.check_url(sending.url)
            async with asyncio.timeout(self._timeout):
                status, body = await self._post(sending)
        except TimeoutError:
            error = f"no answer within {self._timeout:g} s"
        except RefusedAddressError as refusal:
            error = f"refused: the URL {refusal}"
        except (httpcore2.ConnectError, httpcore2.NetworkError, httpcore2.ProtocolError, OSError) as failure:
            error = f"{type(failure).__name__}: {failure}"[:500]
        return Attempt(
            started_at=now,
            duration_ms=round((time.monotonic() - started) * 1000),
            response_status=status,
            response_body=None if body is None else _printable(body),
            error=error,
        )

    async def _post(self, sending: Sending) -> tuple[int, bytes]:
        headers = [(name.encode(), value.encode()) for name, value in sending.headers.items()]
        request = self._pool.stream("POST", sending.url, headers=headers, content=sending.body)
        async with request as response:
            kept = b""
            read = 0
            async for chunk in response.aiter_stream():
                kept += chunk[: _KEPT_BYTES - len(kept)]
                read += len(chunk)
                if read >= _READ_BYTES:
                    break
            return response.status, kept

    async def close(self) -> None:
        """Close what is open."""
        await self._pool.aclose()


def _printable(body: bytes) -> str:
    return body.decode("utf-8", errors="replace").replace("\x00", "\N{REPLACEMENT CHARACTER}")


class _VettedBackend(AsyncNetworkBackend):
    """Resolves a host, refuses it unless every address may be reached, and dials the first that answers."""

    def __init__(self, policy: AddressPolicy) -> None:
        self._policy = policy
        self._network = AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 (the library's signature)
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> AsyncNetworkStream:
        addresses = await _resolve(host, port)
        for address in addresses:
            self._policy.check_address(address)
        for number, address in enumerate(addresses, start=1):
            try:
                return await self._network.connect_tcp(str(address), port, timeout, local_address, socket_options)
            except httpcore2.ConnectError:
                if number == len(addresses):
                    raise
        msg = f"{host} has no address"
        raise httpcore2.ConnectError(msg)


async def _resolve(host: str, port: int) -> list[Address]:
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        msg = f"{host} cannot be resolved"
        raise httpcore2.ConnectError(msg) from error
    return list(dict.fromkeys(ipaddress.ip_address(str(info[4][0]).partition("%")[0]) for info in found))
