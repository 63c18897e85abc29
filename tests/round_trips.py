"""How often a process waits for PostgreSQL: a proxy that counts when the client speaks after the server has."""

import asyncio
import contextlib
import dataclasses
from collections.abc import AsyncIterator

from psycopg.conninfo import conninfo_to_dict

from pcs.base.database import conninfo, parse_url
from pcs.base.settings import Settings


class Proxy:
    """Passes bytes on, and counts."""

    def __init__(self, url: str) -> None:
        self.round_trips = self.open = 0
        self._parts = conninfo_to_dict(conninfo(url))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        self.open += 1
        host, port = str(self._parts["host"]), int(self._parts.get("port") or 5432)
        server = await (
            asyncio.open_unix_connection(f"{host}/.s.PGSQL.{port}")
            if host.startswith("/")
            else asyncio.open_connection(host, port)
        )
        answered = True

        async def ask() -> None:
            nonlocal answered
            while said := await reader.read(1 << 16):
                self.round_trips += answered and b"pg_notify" not in said  # that nobody waits for
                answered = False
                server[1].write(said)
            server[1].close()

        async def answer() -> None:
            nonlocal answered
            while said := await server[0].read(1 << 16):
                answered = True
                writer.write(said)
            writer.close()

        await asyncio.gather(ask(), answer())
        for one in (server[1], writer):
            await one.wait_closed()
        self.open -= 1


@contextlib.asynccontextmanager
async def counted(settings: Settings) -> AsyncIterator[tuple[Proxy, Settings]]:
    """The same settings with a proxy before the database."""
    proxy = Proxy(settings.database_url)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    url = parse_url(settings.database_url)
    at = url.set(host="127.0.0.1", port=server.sockets[0].getsockname()[1]).difference_update_query(["host", "port"])
    text = at.set(drivername="postgresql").update_query_dict({"sslmode": "disable"})
    yield proxy, dataclasses.replace(settings, database_url=text.render_as_string(hide_password=False))
    server.close()
    await server.wait_closed()
    while proxy.open:  # noqa: ASYNC110 (nothing sets an event)
        await asyncio.sleep(0.01)
