"""Connections to addresses that others name: only where they may be reached, without proxies, each dialled anew.

The trap: a name checked first and resolved again to connect may point elsewhere by then (DNS rebinding), so every
resolved address is checked at connect time and the very address that was checked is dialled."""

from __future__ import annotations

import ssl
from collections.abc import Iterable

import httpcore2
from httpcore2 import AnyIOBackend, AsyncNetworkBackend, AsyncNetworkStream

from pcs.webhooks.addresses import AddressPolicy
from pcs.webhooks.resolving import Resolve


def vetted_connections(policy: AddressPolicy, resolver: Resolve) -> httpcore2.AsyncConnectionPool:
    """A pool that dials under an address policy and follows no redirect; close it at the end.

    Its requests raise RefusedAddressError and UnresolvedError besides httpcore2's own errors.
    """
    return httpcore2.AsyncConnectionPool(
        ssl_context=ssl.create_default_context(),
        max_connections=None,  # whoever sends limits them; waiting here would eat a request's time
        max_keepalive_connections=0,  # each request checks and dials anew
        network_backend=_VettedBackend(policy, resolver),
    )


class _VettedBackend(AsyncNetworkBackend):
    """Resolves a host, refuses it unless every address may be reached, and dials the first that answers."""

    def __init__(self, policy: AddressPolicy, resolver: Resolve) -> None:
        self._policy = policy
        self._resolve = resolver
        self._network = AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 (the library's signature)
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> AsyncNetworkStream:
        addresses = await self._resolve(host, port)
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
