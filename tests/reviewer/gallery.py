"""A shop's server of pictures, on a real socket. The trap: a picture that never travelled, or a test that trusts its
header."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

PICTURES = {
    "image/jpeg": b"\xff\xd8\xff\xe0 a jpeg",
    "image/png": b"\x89PNG\r\n\x1a\n a png",
    "image/webp": b"RIFF\x10\x00\x00\x00WEBPVP8 a webp",
    "image/gif": b"GIF89a a gif",
}


@dataclass
class Served:
    """One answer. The trap it plays: a header that says a picture, whatever the body is."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "image/jpeg"})
    seconds: float = 0.0


@dataclass
class Gallery:
    """Answers each path as it is told, and remembers which paths were asked for, with their queries."""

    address: str = ""
    served: dict[str, Served] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def url(self, name: str, served: Served) -> str:
        """The address of what is served under a name."""
        self.served[f"/{name}"] = served
        return f"{self.address}/{name}"

    def pictures(self) -> list[str]:
        """The addresses of a picture of each kind."""
        return [self.url(kind.removeprefix("image/"), Served(body)) for kind, body in PICTURES.items()]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            target = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split(" ")[1]
            self.asked.append(target)
            served = self.served.get(target.partition("?")[0], Served(status=404))
            await asyncio.sleep(served.seconds)
            headers = {**served.headers, "Content-Length": len(served.body), "Connection": "close"}
            lines = [f"HTTP/1.1 {served.status} X", *(f"{name}: {value}" for name, value in headers.items())]
            writer.write("\r\n".join([*lines, "", ""]).encode() + served.body)
            await writer.drain()
        writer.close()


@contextlib.asynccontextmanager
async def open_gallery() -> AsyncIterator[Gallery]:
    """A gallery at an address of this machine."""
    found = Gallery()
    server = await asyncio.start_server(found.serve, "127.0.0.1", 0)
    found.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    yield found
    server.close()
    await server.wait_closed()
