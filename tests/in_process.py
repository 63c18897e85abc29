"""An API over a real socket, in this process: for what a client in memory does not see, such as a stream.

The trap: a server that a failed test leaves behind; it ends with its block, as one does that gets SIGTERM."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import uvicorn

from deployment import free_port
from pcs.base.tenancy import Environment
from pcs.bootstrap import Service
from pcs.cli.serve import StoppableServer
from pcs.http.app import create_app
from pcs.http.server import ServerLimits, limited


@contextlib.asynccontextmanager
async def served(
    service: Service, environment: Environment = Environment.LIVE, *, port: int | None = None
) -> AsyncIterator[str]:
    """The address of an API of this service."""
    service.bells.ended = False
    port = port or free_port()
    config = uvicorn.Config(
        create_app(service, environment),
        port=port,
        log_config=None,
        http=limited(ServerLimits(2_000, 10, 30)),
        timeout_graceful_shutdown=5,
    )
    server = StoppableServer(config, service)
    serving = asyncio.create_task(server.serve())
    try:
        async with asyncio.timeout(10):
            while not server.started:  # noqa: ASYNC110 (the server sets no event)
                await asyncio.sleep(0.01)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        await serving
