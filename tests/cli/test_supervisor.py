"""A process that lives and says nothing is replaced; one that is still starting is not."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from deployment import free_port
from pcs.base.settings import Settings
from pcs.cli.supervisor import ProbeTimes, Program, Supervisor

QUICK = ProbeTimes(every=0.5, silence=3, start=60)


@contextlib.asynccontextmanager
async def supervised(
    settings: Settings, folder: Path, probe_times: ProbeTimes
) -> AsyncIterator[tuple[Supervisor, str]]:
    """An API process under a supervisor, and where it says that it lives."""
    port = free_port()
    url = f"http://127.0.0.1:{port}/health"
    api = Program("live", ("serve", "--environment", "live", "--port", str(port)), 20, url)
    supervisor = Supervisor([api], environment=settings.as_environment(), log_dir=folder, probe_times=probe_times)
    await supervisor.start()
    try:
        yield supervisor, url
    finally:
        await supervisor.stop()


async def until_it_answers(url: str, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    async with httpx2.AsyncClient(trust_env=False, timeout=1) as client:
        while True:
            with contextlib.suppress(httpx2.HTTPError):
                if (await client.get(url)).status_code == httpx2.codes.OK:
                    return
            assert time.monotonic() < deadline
            await asyncio.sleep(0.2)


async def test_a_process_that_hangs_is_killed_and_replaced(settings: Settings, tmp_path: Path) -> None:
    async with supervised(settings, tmp_path, QUICK) as (supervisor, url):
        await until_it_answers(url)
        hanging = supervisor.pids()["live"]
        await asyncio.sleep(2 * QUICK.silence)
        assert supervisor.pids()["live"] == hanging, "it answers, so it stays"
        os.kill(hanging, signal.SIGSTOP)  # SIGTERM does not reach it any more
        deadline = time.monotonic() + 30
        while supervisor.pids()["live"] == hanging:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.1)
        await until_it_answers(url)
        with pytest.raises(ProcessLookupError):
            os.kill(hanging, 0)


async def test_a_process_that_is_starting_is_left_in_peace(settings: Settings, tmp_path: Path) -> None:
    async with supervised(settings, tmp_path, ProbeTimes(every=0.05, silence=0.1, start=60)) as (supervisor, url):
        starting = supervisor.pids()["live"]
        async with httpx2.AsyncClient(trust_env=False, timeout=1) as client:
            with contextlib.suppress(httpx2.HTTPError):
                await client.get(url)
        await asyncio.sleep(1)
        assert supervisor.pids()["live"] == starting
