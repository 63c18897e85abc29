"""The server that ships, over raw sockets: callers that are slow, that send too much, or that do not speak HTTP."""

import asyncio
import contextlib
import json
import re
import resource
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from deployment import Deployment, database_of_its_own
from pcs.base.settings import Settings
from pcs.base.tenancy import Environment
from pcs.bootstrap import build_service

Place = tuple[str, int]


@pytest.fixture(scope="module")
async def place(settings: Settings) -> AsyncIterator[tuple[Place, int]]:
    """The address and the number of an API process with short times and room for 700 connections."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    with database_of_its_own(settings) as own:
        deployment = Deployment(build_service(own))
        try:
            short: dict[str, Any] = {"PCS_HEAD_SECONDS": "3", "PCS_BODY_SECONDS": "3", "PCS_MOST_CONNECTIONS": "700"}
            parts = urlsplit(deployment.serve(Environment.LIVE, **short))
            where = str(parts.hostname), int(parts.port or 0)
            [process] = deployment._processes  # noqa: SLF001 (the builders' own)
            await until_it_listens(where)
            yield where, process.pid
        finally:
            await deployment.stop()


async def until_it_listens(where: Place) -> None:
    deadline = time.monotonic() + 30
    while True:
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection(*where)
            writer.close()
            return
        assert time.monotonic() < deadline
        await asyncio.sleep(0.1)


async def answered(where: Place, sent: bytes) -> bytes:
    """Everything that a server says to these bytes before it closes, or for five seconds."""
    reader, writer = await asyncio.open_connection(*where)
    with contextlib.suppress(ConnectionError):
        writer.write(sent)
        await writer.drain()
    said = b""
    with contextlib.suppress(ConnectionError, TimeoutError):
        async with asyncio.timeout(5):
            while more := await reader.read(65536):
                said += more
    writer.close()
    return said


def refused(said: bytes, *statuses: int) -> None:
    head, _, body = said.partition(b"\r\n\r\n")
    assert int(head.split(b" ")[1]) in statuses, said[:300]
    request_id = re.search(rb"(?i)x-request-id: (req_\w+)", head)
    assert request_id, head
    assert json.loads(body)["error"]["request_id"] == request_id[1].decode()


CLOSE = b"Connection: close\r\n\r\n"


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET //api/v1/me HTTP/1.1\r\nHost: a\r\n" + CLOSE, 404),
        (b"BREW /api/v1/me HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        (b"PROPFIND /api/v1/me HTTP/1.1\r\nHost: a\r\n" + CLOSE, 401),
        (b"CONNECT /api/v1/me HTTP/1.1\r\nHost: a\r\n" + CLOSE, 401),
        (b"GET /api/v1/me HTTP/1.1\r\n\r\n", 400),
        (b"GET /api/v1/me HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        (b"GET /\x00 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        (b"nonsense\r\n\r\n", 400),
        (b"GET /api/v1/me HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 40_000 + b"\r\n\r\n", 431),
        (b"GET /api/v1/me HTTP/1.1\r\nHost: a\r\n" + b"X: a\r\n" * 20_000 + b"\r\n", 431),
        (b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", 431),
    ],
)
async def test_what_is_no_request_is_refused_in_words(place: tuple[Place, int], sent: bytes, status: int) -> None:
    refused(await answered(place[0], sent), status)


async def test_endless_headers_cost_no_memory(place: tuple[Place, int]) -> None:
    where, pid = place
    before = peak(pid)
    large = b"GET /health HTTP/1.1\r\nHost: a\r\nX: " + b"a" * 30_000_000
    told = [said for said in await asyncio.gather(*(answered(where, large) for _ in range(10))) if said]
    assert told, "what was said is lost to those who were still sending when the connection ended, but not to all"
    for said in told:
        refused(said, 431)
    assert peak(pid) - before < 30 * 1024, "ten connections, in KiB"


async def test_endless_trailers_are_cut_off(place: tuple[Place, int]) -> None:
    head = b"POST /health HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n"
    said = await answered(place[0], head + b"X: " + b"a" * 3_000_000)
    assert said.startswith(b"HTTP/1.1 4"), said[:200]


async def test_slow_callers_are_let_go_and_others_served_meanwhile(place: tuple[Place, int]) -> None:
    where, _ = place
    slow = [await asyncio.open_connection(*where) for _ in range(600)]
    for number, (_, writer) in enumerate(slow):
        started = (
            b"",
            b"GET /health HT",
            b"POST /dashboard/sign-in HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab",
        )
        writer.write(started[number % 3])
    began = time.monotonic()
    assert (await answered(where, b"GET /health HTTP/1.1\r\nHost: a\r\n" + CLOSE)).startswith(b"HTTP/1.1 200")
    async with asyncio.timeout(20):
        ends = await asyncio.gather(*(reader.read() for reader, _ in slow), return_exceptions=True)
    assert 2 < time.monotonic() - began < 15
    assert sum(isinstance(said, bytes) and said.startswith(b"HTTP/1.1 408") for said in ends) >= 200
    for _, writer in slow:
        writer.close()


async def test_more_connections_than_allowed_are_refused_and_room_comes_again(place: tuple[Place, int]) -> None:
    where, _ = place
    many = [await asyncio.open_connection(*where) for _ in range(701)]
    said = await answered(where, b"GET /health HTTP/1.1\r\nHost: a\r\n" + CLOSE)
    refused(said, 503)
    assert b"etry-" in said, "when to try again"
    for _, writer in many:
        writer.close()
    await asyncio.sleep(1)
    assert (await answered(where, b"GET /health HTTP/1.1\r\nHost: a\r\n" + CLOSE)).startswith(b"HTTP/1.1 200")


def peak(pid: int) -> int:
    """The most memory that a process has had, in KiB."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(re.findall(r"VmHWM:\s+(\d+)", status)[0])
