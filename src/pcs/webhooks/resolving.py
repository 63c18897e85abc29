"""Names to addresses, off the event loop, and the check of a URL before it is stored.

The trap: the loop's own resolver has four threads (uvloop), so four names with a slow server would stop every send;
here each send may wait in a thread of its own."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

from pcs.webhooks.addresses import Address, AddressPolicy, split_url

Resolve = Callable[[str, int], Awaitable[list[Address]]]
"""A host's addresses, in the order to be tried. Raises UnresolvedError."""

_THREADS = 200  # they only wait
_LOOK_SECONDS = 2.0
_executor = ThreadPoolExecutor(_THREADS, thread_name_prefix="resolve")  # starts no thread before it is used


class UnresolvedError(Exception):
    """A name without an address, now."""


async def resolve(host: str, port: int) -> list[Address]:
    """What the system says, each address once. Raises UnresolvedError."""
    try:
        found = await asyncio.get_running_loop().run_in_executor(_executor, _look_up, host, port)
    except (OSError, UnicodeError) as error:
        msg = f"{host} cannot be resolved"
        raise UnresolvedError(msg) from error
    return list(dict.fromkeys(found))


def _look_up(host: str, port: int) -> list[Address]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [ipaddress.ip_address(str(info[4][0]).partition("%")[0]) for info in found]


async def check_reachable(policy: AddressPolicy, url: str, *, resolver: Resolve = resolve) -> None:
    """Refuse a URL that webhooks may not go to, by its text and by what its name resolves to now.

    A name that does not resolve yet passes: every send looks again. Raises RefusedAddressError.
    """
    policy.check_url(url)
    parts = split_url(url)
    try:
        async with asyncio.timeout(_LOOK_SECONDS):
            addresses = await resolver(parts.hostname or "", parts.port or 443)
    except (UnresolvedError, TimeoutError):
        return
    for address in addresses:
        policy.check_address(address)
