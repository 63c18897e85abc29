"""Keeps child processes running until told to stop, then stops them all at once: none waits for another.

The trap: Ctrl-C reaches a whole process group at once; children have sessions of their own, so that they end when
the supervisor says so and not before."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx2
import structlog

from pcs.cli.process import SUPERVISED

_log = structlog.get_logger(__name__)
_LONG_LIFE = 60.0  # seconds after which a death no longer counts as a failed start
_LONGEST_PAUSE = 30.0
_LOG_BYTES = 10 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Program:
    """A child: its name, its `pcs` command, how long it may take to stop, and where it says that it lives, if so."""

    name: str
    arguments: tuple[str, ...]
    stop_seconds: float
    health_url: str = ""


@dataclass(frozen=True, slots=True)
class ProbeTimes:
    """How a child is asked whether it lives: how often, how long it may be silent, how long it may start; in seconds.

    Half a minute of silence leaves room for a machine that does ten things at once; what starts has not answered yet.
    """

    every: float = 5.0
    silence: float = 30.0
    start: float = 180.0


class Supervisor:
    """Runs programs until told to `stop`."""

    def __init__(
        self,
        programs: Sequence[Program],
        *,
        environment: Mapping[str, str],
        log_dir: Path,
        probe_times: ProbeTimes = ProbeTimes(),
    ) -> None:
        self._probe_times = probe_times
        self._programs = programs
        inherited = {name: said for name, said in os.environ.items() if name.removesuffix("_FILE") not in environment}
        self._environment = {**inherited, **environment, SUPERVISED: "1", "PYTHONUNBUFFERED": "1"}
        self._log_dir = log_dir
        self._running: dict[str, asyncio.subprocess.Process] = {}
        self._keepers: dict[str, asyncio.Task[None]] = {}

    async def start(self) -> None:
        """Start every program, and from then on start again what dies."""
        self._log_dir.mkdir(parents=True, exist_ok=True)
        self._log_dir.chmod(0o700)
        for earlier in self._log_dir.iterdir():
            earlier.chmod(0o600)
        for program in self._programs:
            self._running[program.name] = await self._spawn(program)
            self._keepers[program.name] = asyncio.create_task(self._keep(program))

    async def stop(self) -> None:
        """End every program, all at the same time; what does not end in its own time is killed."""
        for keeper in self._keepers.values():
            keeper.cancel()
        running = [(program, self._running.get(program.name)) for program in self._programs]
        await asyncio.gather(
            *(
                _end(process, program.stop_seconds)
                for program, process in running
                if process is not None and process.returncode is None
            )
        )

    def pids(self) -> dict[str, int]:
        """The process number of each program."""
        return {name: process.pid for name, process in self._running.items()}

    async def _keep(self, program: Program) -> None:
        failures = 0
        while True:
            started = time.monotonic()
            code = await self._until_it_ends(program)
            failures = 0 if time.monotonic() - started > _LONG_LIFE else failures + 1
            pause = min(2.0 ** (failures - 1), _LONGEST_PAUSE) if failures else 0.0
            _log.warning("a process ended and was restarted", name=program.name, code=code, pause=pause)
            await asyncio.sleep(pause)
            self._running[program.name] = await self._spawn(program)

    async def _until_it_ends(self, program: Program) -> int:
        process = self._running[program.name]
        watching = asyncio.create_task(self._watch(program, process))
        try:
            return await process.wait()
        finally:
            watching.cancel()

    async def _watch(self, program: Program, process: asyncio.subprocess.Process) -> None:
        """End a child that has gone silent: stuck, it would hear SIGTERM no more, so SIGKILL follows soon."""
        if not program.health_url:
            return
        last, allowed = time.monotonic(), self._probe_times.start
        async with httpx2.AsyncClient(trust_env=False, timeout=self._probe_times.every) as client:
            while time.monotonic() - last < allowed:
                await asyncio.sleep(self._probe_times.every)
                with contextlib.suppress(httpx2.HTTPError):
                    await client.get(program.health_url)
                    last, allowed = time.monotonic(), self._probe_times.silence
        _log.error(
            "a process does not answer and is replaced", name=program.name, seconds=round(time.monotonic() - last)
        )
        await _end(process, self._probe_times.every)

    async def _spawn(self, program: Program) -> asyncio.subprocess.Process:
        with _appended(self._log_file(program.name)) as log:
            return await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "pcs.cli.main",
                *program.arguments,
                stdin=asyncio.subprocess.PIPE,
                stdout=log,
                stderr=log,
                env=self._environment,
                start_new_session=True,
            )

    def _log_file(self, name: str) -> Path:
        path = self._log_dir / f"{name}.log"
        if path.exists() and path.stat().st_size > _LOG_BYTES:
            path.replace(path.with_suffix(".log.1"))
        return path


@contextlib.contextmanager
def _appended(path: Path) -> Iterator[int]:
    """A file to write on in, which only this user may read."""
    opened = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        yield opened
    finally:
        os.close(opened)


async def _end(process: asyncio.subprocess.Process, seconds: float) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGTERM)
    try:
        await asyncio.wait_for(process.wait(), seconds)
    except TimeoutError:
        process.kill()
        await process.wait()
