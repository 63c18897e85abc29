"""`pcs up`: one supervisor for everything. The trap: a half-started service; each step is checked before the next, and
whatever was started is stopped again when a later one fails."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import httpx2
import structlog
import typer
from rich.console import Console
from rich.markup import escape

from pcs.base.errors import OperatorError
from pcs.base.locks import EXCLUSIVE_NOW, locked
from pcs.base.metrics import forget_metrics
from pcs.base.migrate import migrate
from pcs.base.plurals import counted
from pcs.base.settings import Settings
from pcs.base.telemetry import configure_logging
from pcs.bootstrap import build_service, watched_installation
from pcs.cli.demo import run_demo
from pcs.cli.first_start import ensure_first_organization, show_next_command
from pcs.cli.ports import require_free_ports
from pcs.cli.process import run
from pcs.cli.supervisor import Program, Supervisor
from pcs.organizations.company import Rules
from pcs.schedules.damage import damages

_log = structlog.get_logger(__name__)
_READY_SECONDS = 60.0
_WATCH_SECONDS = 2.0
_API_STOP_SECONDS = 25.0


def command(
    *,
    demo: Annotated[
        bool, typer.Option("--demo", help="Classify a few products, for an organization of their own, and show them.")
    ] = False,
    first: Annotated[bool, typer.Option("--demo-once", help="The same, at the first start only.")] = False,
    leave: Annotated[
        bool, typer.Option("--exit", help="With --demo: stop afterwards, with exit status 0 if all completed.")
    ] = False,
) -> None:
    """Start the database, both APIs and the workers, and keep them running until Ctrl-C or SIGTERM."""
    if leave and not demo:
        msg = "is only for use with --demo"
        raise typer.BadParameter(msg, param_hint="--exit")
    settings = Settings.from_environment(os.environ)
    Rules.of(settings)
    configure_logging(settings.log_level)
    require_free_ports(settings)
    console = Console(highlight=False)
    completed: list[bool] = []
    with _alone(settings), _preparing() as counting, watched_installation(settings) as (complete, revive):
        migrate(complete.database_url)
        forget_metrics(complete.data_dir)
        asked = Demonstration(demo, first, leave)
        run(_watching(revive, _up(complete, console, asked, completed, counting=counting)))
    if demo and leave and completed != [True]:
        raise typer.Exit(1)


@contextmanager
def _alone(settings: Settings) -> Iterator[None]:
    """One supervisor a data folder."""
    path = settings.data_dir / "up.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        held = locked(path, EXCLUSIVE_NOW)
    except BlockingIOError:
        msg = f"`pcs up` is running already in {settings.data_dir.resolve()}: stop it first, or set PCS_DATA_DIR."
        raise OperatorError(msg) from None
    except OSError as error:
        msg = f"The data folder {settings.data_dir} cannot be used ({error.strerror}): set PCS_DATA_DIR to another."
        raise OperatorError(msg) from None
    with held:
        yield


@contextmanager
def _preparing() -> Iterator[subprocess.Popen[bytes]]:
    """What the first opening counts is counted beside the database's start, by a process that gives its memory back."""
    with subprocess.Popen([sys.executable, "-m", "pcs.cli.main", "prepare"]) as counting:
        try:
            yield counting
        finally:
            counting.terminate()


async def _watching(revive: Callable[[], bool], main: Coroutine[Any, Any, None]) -> None:
    """Run `main`, and start the database again whenever it has died meanwhile."""

    async def watch() -> None:
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            if await asyncio.to_thread(revive):
                _log.warning("the database ended and was restarted")

    watching = asyncio.create_task(watch())
    try:
        await main
    finally:
        watching.cancel()


@dataclass(frozen=True, slots=True)
class Demonstration:
    """Whether products are classified and shown: now, at the first start, and whether to leave afterwards."""

    now: bool
    once: bool
    leave: bool

    def is_wanted(self, *, first_start: bool) -> bool:
        """Whether this start shows them."""
        return self.now or (self.once and first_start)


async def _up(
    settings: Settings,
    console: Console,
    asked: Demonstration,
    completed: list[bool],
    *,
    counting: subprocess.Popen[bytes],
) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    log_dir = settings.data_dir / "logs"
    supervisor = Supervisor(_programs(settings), environment=settings.as_environment(), log_dir=log_dir)
    service = build_service(settings)
    try:
        is_first = await ensure_first_organization(service, console)
        await supervisor.start()
        await _until_counted(counting, stop)
        await _until_ready(settings, stop)
        for sentence in damages(settings.data_dir).values():
            console.print(f"[red]{escape(sentence)}[/]", soft_wrap=True)
        console.print(f"Dashboard    {settings.dashboard_url}")
        console.print(f"Live API     http://{settings.host}:{settings.live_port}/api/v1")
        console.print(f"Sandbox API  http://{settings.host}:{settings.sandbox_port}/api/v1")
        if asked.is_wanted(first_start=is_first) and not stop.is_set():
            completed.append(await run_demo(service, console))
        if not asked.leave:
            if is_first:
                show_next_command(settings, console)
            workers = counted(settings.workers, "worker")
            console.print(f"Serving with {workers}; logs are in {log_dir}. Ctrl-C stops everything.", soft_wrap=True)
            await stop.wait()
    finally:
        await supervisor.stop()
        await service.database.close()
    console.print("Stopped.")


def _programs(settings: Settings) -> list[Program]:
    """What runs, and how long each may take to finish what is under way."""
    apis = [
        Program(name, ("serve", "--environment", environment), _API_STOP_SECONDS, f"{_reached(settings, port)}/health")
        for name, environment, port in (
            ("live", "live", settings.live_port),
            ("sandbox", "test", settings.sandbox_port),
        )
    ]
    grace = settings.stop_grace_seconds + 5
    return apis + [Program(f"worker-{number}", ("work",), grace) for number in range(1, settings.workers + 1)]


def _reached(settings: Settings, port: int) -> str:
    """Where a process of ours is reached from here."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104 (read, not bound)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def _until_counted(counting: subprocess.Popen[bytes], stop: asyncio.Event) -> None:
    """Wait for what a worker waits for, while the APIs start; what is wrong with the trained parts it says itself."""
    ended = asyncio.ensure_future(asyncio.to_thread(counting.wait))
    asked = asyncio.ensure_future(stop.wait())
    await asyncio.wait({ended, asked}, return_when=asyncio.FIRST_COMPLETED)
    asked.cancel()
    if not ended.done():
        counting.terminate()
    await ended


async def _until_ready(settings: Settings, stop: asyncio.Event) -> None:
    """Wait until both APIs and a worker are ready. Raises OperatorError where that takes too long."""
    deadline = time.monotonic() + _READY_SECONDS
    async with httpx2.AsyncClient(trust_env=False) as client:
        for port in (settings.live_port, settings.sandbox_port):
            while not stop.is_set() and not await _is_ready(client, f"{_reached(settings, port)}/ready"):
                if time.monotonic() > deadline:
                    msg = f"The service was not ready in {_READY_SECONDS:g} s: see {settings.data_dir / 'logs'}."
                    raise OperatorError(msg)
                await asyncio.sleep(0.05)


async def _is_ready(client: httpx2.AsyncClient, url: str) -> bool:
    try:
        return (await client.get(url)).status_code == httpx2.codes.OK
    except httpx2.TransportError:
        return False
