"""What the server's limits cost: processor time a request, beside uvicorn's own protocols, in one run.

Run: python -m benchmarks.protocols. An application that does nothing answers, so that only the protocols differ."""

from __future__ import annotations

import http.client
import multiprocessing
import os
import socket
import time
from pathlib import Path
from typing import Any

import uvicorn

from pcs.http.server import ServerLimits, limited

PROTOCOLS: dict[str, Any] = {"httptools": "httptools", "with limits": limited(ServerLimits(1000, 10, 60)), "h11": "h11"}
ROUNDS, REQUESTS = 4, 1500
BODY = b'{"name": "Cotton T-shirt"}' * 15


async def nothing(_scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 (ASGI's own)
    """Read a request and answer it."""
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


def serve(name: str, bound: socket.socket) -> None:
    """Serve with one protocol until ended."""
    config = uvicorn.Config(nothing, log_level="critical", loop="uvloop", lifespan="off", http=PROTOCOLS[name])
    uvicorn.Server(config).run(sockets=[bound])


def used(pid: int) -> float:
    """Seconds of processor time."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def load(port: int) -> None:
    """Send requests over one connection, half of them with a body."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for number in range(REQUESTS):
        connection.request(*(("POST", "/", BODY) if number % 2 else ("GET", "/")))
        connection.getresponse().read()


def main() -> None:
    """Print a line a protocol."""
    running = {}
    for name in PROTOCOLS:
        bound = socket.create_server(("127.0.0.1", 0))
        process = multiprocessing.get_context("fork").Process(target=serve, args=(name, bound), daemon=True)
        process.start()
        running[name] = process, bound.getsockname()[1]
    time.sleep(3)
    began = {name: used(process.pid) for name, (process, _) in running.items()}
    for _ in range(ROUNDS):
        for _, port in running.values():
            load(port)
    for name, (process, _) in running.items():
        spent = (used(process.pid) - began[name]) / (ROUNDS * REQUESTS)
        print(f"{name:12} {spent * 1e6:4.0f} µs of processor time a request")
        process.kill()


if __name__ == "__main__":
    main()
