"""`pcs listen` as a developer runs it: a process beside a real API, forwarding to a real receiver.

The trap: a test in which nothing breaks; here the service goes away in the middle, and comes back."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from standardwebhooks import Webhook

from builders import ServiceUnderTest
from cli.terminal import pcs
from deployment import free_port
from in_process import served
from pcs.organizations.model import FULL_ACCESS, Scope
from receiver import Receiver

SECRET = "whsec_" + "c2VjcmV0" * 4


@dataclass
class Terminal:
    """A command that runs."""

    process: asyncio.subprocess.Process

    async def line(self) -> str:
        assert self.process.stdout is not None
        async with asyncio.timeout(60):
            return (await self.process.stdout.readline()).decode().rstrip()

    async def lines(self, count: int) -> list[str]:
        return [await self.line() for _ in range(count)]

    async def interrupted(self) -> tuple[str, str]:
        """What it still said after Ctrl-C, which ends it well, and what it said beside."""
        self.process.send_signal(signal.SIGINT)
        async with asyncio.timeout(60):
            said, complaint = await self.process.communicate()
        assert self.process.returncode == 0
        return said.decode(), complaint.decode()


@contextlib.asynccontextmanager
async def listening(address: str, key: str, *arguments: str) -> AsyncIterator[Terminal]:
    environ = {**os.environ, "PCS": address, "PCS_KEY": key, "PCS_WEBHOOK_SECRET": SECRET, "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "pcs.cli.main", "listen", *arguments]
    piped = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, env=environ, stdout=piped, stderr=piped)
    try:
        yield Terminal(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def classified(running: ServiceUnderTest, name: str) -> str:
    accepted = await running.classify(name=name)
    await running.work()
    return str(accepted["classifications"][0]["id"])


async def test_events_are_forwarded_signed_each_once_over_a_break(
    running: ServiceUnderTest, receiver: Receiver
) -> None:
    port = free_port()
    async with contextlib.AsyncExitStack() as later:
        async with served(running.service, port=port) as address:
            forwarding = listening(address, running.live_key, "--forward-to", receiver.url)
            terminal = await later.enter_async_context(forwarding)
            assert await terminal.line() == f"Forwarding to {receiver.url}, signed with PCS_WEBHOOK_SECRET={SECRET}"
            assert await terminal.line() == "Listening. Ctrl-C ends it."
            ids = [await classified(running, "before")]
            said = await terminal.lines(1)
        ids.append(await classified(running, "while it is away"))
        receiver.statuses = [500]
        async with served(running.service, port=port):
            said += await terminal.lines(1)
            ids.append(await classified(running, "after"))
            said += await terminal.lines(1)
            assert await terminal.interrupted() == (
                "Stopped after 3 events, 1 not taken.\n",
                "The connection is gone; trying again. Nothing is lost.\n",
            )
    assert [line.split("  ")[3] for line in said] == ids
    assert [" 500 " in line for line in said] == [False, True, False]
    assert [one.json["data"]["id"] for one in receiver.received] == ids
    deliveries = {one.headers["x-service-delivery-id"] for one in receiver.received}
    assert len(deliveries) == 3
    for one in receiver.received:
        Webhook(SECRET).verify(one.body, one.headers)
        assert one.headers["x-service-event"] == "classification.completed"


async def test_it_shows_what_was_before_and_only_the_kinds_asked_for(running: ServiceUnderTest) -> None:
    first = await classified(running, "long ago")
    async with served(running.service) as address:
        arguments = ("--replay-since", "2020-01-01T00:00:00Z", "--events", "classification.completed,batch.completed")
        async with listening(address, running.live_key, *arguments) as terminal:
            assert await terminal.line() == "Listening. Ctrl-C ends it."
            assert first in await terminal.line()
            cancelled = await running.classify(name="never analysed")
            stub = cancelled["classifications"][0]["id"]
            await running.live.post(f"/api/v1/classifications/{stub}/cancel")
            second = await classified(running, "now")
            assert second in await terminal.line()
            assert await terminal.interrupted() == ("Stopped after 2 events.\n", "")


async def test_a_refusal_ends_it_with_a_sentence(running: ServiceUnderTest, tmp_path: Path) -> None:
    lacking = await running.key(scopes=FULL_ACCESS - {Scope.WEBHOOKS_READ})
    async with served(running.service) as address:
        for key, arguments, sentence in (
            ("", (), "pcs: Set PCS_KEY to an API key: the dashboard makes one under Settings, API.\n"),
            (lacking, (), "pcs: The API key lacks the scope webhooks:read.\n"),
            (running.live_key, ("--events", "batch.begun"), "pcs: types has no event batch.begun: there are "),
            (
                running.live_key,
                ("--replay-since", "monday"),
                "pcs: since must be a time such as 2026-01-31T12:00:00Z\n",
            ),
        ):
            done = await asyncio.to_thread(pcs, tmp_path, "listen", *arguments, PCS=address, PCS_KEY=key)
            assert (done.returncode, done.stdout) == (1, "")
            assert done.stderr.startswith(sentence), done.stderr
