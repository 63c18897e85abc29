"""A load generator that costs little: prepared bytes over a few kept connections, answers counted by Content-Length.

The trap: a client that takes more of the machine than the server that it measures; this one only moves bytes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import repeat
from urllib.parse import urlsplit


@dataclass(slots=True)
class Load:
    """What came of it: seconds each answer took, how long all of it, and how many were not as expected."""

    times: list[float] = field(default_factory=list)
    seconds: float = 0.0
    wrong: list[bytes] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        """Answers a second."""
        return len(self.times) / self.seconds

    def percentile(self, share: float) -> float:
        """Milliseconds that this share of the answers did not exceed."""
        ordered = sorted(self.times)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000


def request(method: str, url: str, headers: dict[str, str], body: bytes = b"") -> bytes:
    """One request as it goes over the wire."""
    parts = urlsplit(url)
    lines = [
        f"{method} {parts.path or '/'}{'?' + parts.query if parts.query else ''} HTTP/1.1",
        f"Host: {parts.netloc}",
    ]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


class _Connection(asyncio.Protocol):
    def __init__(self) -> None:
        self._buffer = b""
        self._answer: asyncio.Future[tuple[int, bytes]] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def ask(self, wire: bytes) -> asyncio.Future[tuple[int, bytes]]:
        self._answer = asyncio.get_running_loop().create_future()
        self.transport.write(wire)
        return self._answer

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, body = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        lower = head.lower()
        start = lower.find(b"content-length:") + 15
        length = int(lower[start:].split(b"\r\n", 1)[0])
        if len(body) >= length and self._answer is not None:
            self._buffer = body[length:]
            self._answer.set_result((int(head[9:12]), body[:length]))

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError("the server closed the connection"))


async def connect(url: str) -> _Connection:
    """A kept connection to an address."""
    parts = urlsplit(url)
    _, connection = await asyncio.get_running_loop().create_connection(_Connection, parts.hostname, parts.port)
    return connection


async def drive(  # noqa: PLR0913 (one call says what is measured)
    url: str,
    wires: Callable[[], bytes],
    *,
    status: int,
    seconds: float,
    connections: int = 8,
    rate: float | None = None,
    answered: Callable[[bytes], None] | None = None,
) -> Load:
    """Keep connections busy for some seconds; with `rate`, that many requests a second in all, on schedule."""
    load = Load()
    open_ones = [await connect(url) for _ in range(connections)]
    started = time.perf_counter()

    async def keep_busy(connection: _Connection, place: int) -> None:
        for number in range(1 << 62) if rate else repeat(0):
            due = time.perf_counter()
            if rate:
                due = started + (place + number * connections) / rate
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
            if time.perf_counter() - started >= seconds:
                return
            began = due if rate else time.perf_counter()  # on schedule, what waits behind a slow answer is late too
            got, body = await connection.ask(wires())
            load.times.append(time.perf_counter() - began)
            if got != status:
                load.wrong.append(body)
            elif answered is not None:
                answered(body)

    await asyncio.gather(*(keep_busy(one, place) for place, one in enumerate(open_ones)))
    load.seconds = time.perf_counter() - started
    for one in open_ones:
        one.transport.close()
    return load
