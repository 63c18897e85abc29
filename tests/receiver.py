"""A customer's webhook endpoint, on a real socket. The trap: a test that inspects what we meant to send."""

import asyncio
import contextlib
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextlib.asynccontextmanager
async def serving(serve: Serve, *, tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """A server on this machine that reads a request's head and then does what `serve` does; its port."""

    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            await serve(reader, writer)
        writer.close()

    server = await asyncio.start_server(once, "127.0.0.1", 0, ssl=tls)
    yield server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()


@dataclass
class Received:
    """One request as it came over the wire."""

    headers: dict[str, str]
    body: bytes
    target: str = ""

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Receiver:
    """Answers with `statuses` one after the other, then with 200; `delay` and `headers` apply to every answer."""

    url: str = ""
    statuses: list[int] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    answer: bytes = b"ok"
    delay: float = 0.0
    received: list[Received] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, *head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")[:-2]
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in head)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        self.received.append(Received(headers, body, first.split(" ")[1]))
        self.arrived.set()
        await asyncio.sleep(self.delay)
        status = self.statuses.pop(0) if self.statuses else 200
        more = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
        head_out = f"HTTP/1.1 {status} X\r\nContent-Length: {len(self.answer)}\r\nConnection: close\r\n{more}\r\n"
        writer.write(head_out.encode() + self.answer)
        try:
            await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()
