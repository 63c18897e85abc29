"""Fetches the pictures of goods for a reviewer with vision: no redirects, no proxies, 10 s for all together.

The trap: an address inside the network, or a file without end; the addresses are vetted as webhooks' are, and nothing
is read beyond the largest picture that may be sent on. What is said of a failure names no address."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import httpcore2

from pcs.reviewer.pictures import Looked, Picture, picture_of
from pcs.webhooks.addresses import AddressPolicy, RefusedAddressError
from pcs.webhooks.dialling import vetted_connections
from pcs.webhooks.resolving import Resolve, UnresolvedError, resolve

_SECONDS = 10.0
_OK, _REDIRECTS = 200, range(300, 400)
_HEADERS = {
    "Accept": "image/jpeg, image/png, image/webp, image/gif",
    "Accept-Encoding": "identity",
    "User-Agent": "pcs-pictures/1",
}
_WORDS: tuple[tuple[type[Exception], str], ...] = (
    (TimeoutError, "it took too long"),
    (httpcore2.TimeoutException, "it took too long"),
    (RefusedAddressError, "its address is not public"),
    (UnresolvedError, "its address has no such name"),
    (httpcore2.ConnectError, "its server cannot be reached"),
    (httpcore2.NetworkError, "the connection broke off"),
    (httpcore2.ProtocolError, "its server does not speak HTTP"),
    (OSError, "its server cannot be reached"),
)
_FAILURES = tuple(kind for kind, _ in _WORDS)


class _UnusableError(Exception):
    """An answer that is no picture to be shown; the message says why."""


async def look_at(
    urls: Sequence[str], policy: AddressPolicy, *, largest: int, seconds: float = _SECONDS, resolver: Resolve = resolve
) -> Looked:
    """The pictures behind some URLs, fetched at once; `largest` is in bytes. None is written anywhere."""
    deadline = asyncio.get_running_loop().time() + seconds

    async def one(number: int, url: str) -> Picture | str:
        try:
            async with asyncio.timeout_at(deadline):
                return await _fetched(pool, policy, url, largest)
        except _UnusableError as error:
            return f"picture {number} left out: {error}"
        except _FAILURES as error:
            why = next(words for kind, words in _WORDS if isinstance(error, kind))
            return f"picture {number} left out: {why}"

    async with vetted_connections(policy, resolver) as pool:
        found = await asyncio.gather(*(one(number, url) for number, url in enumerate(urls, start=1)))
    pictures = tuple(each for each in found if isinstance(each, Picture))
    return Looked(pictures, tuple(each for each in found if isinstance(each, str)))


async def _fetched(pool: httpcore2.AsyncConnectionPool, policy: AddressPolicy, url: str, largest: int) -> Picture:
    """The picture behind a URL. Raises _UnusableError and whatever the connection raises."""
    policy.check_url(url)
    headers = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
    async with pool.stream("GET", url, headers=headers) as response:
        if response.status in _REDIRECTS:
            msg = "it leads to another address; give that one"
            raise _UnusableError(msg)
        if response.status != _OK:
            msg = f"its server answered {response.status}"
            raise _UnusableError(msg)
        content = bytearray()
        async for chunk in response.aiter_stream():
            content += chunk
            if len(content) > largest:
                msg = f"it is larger than {largest / 1_000_000:.1f} MB"
                raise _UnusableError(msg)
    picture = picture_of(bytes(content))
    if picture is None:
        msg = "it is not a JPEG, PNG, WebP or GIF"
        raise _UnusableError(msg)
    return picture
