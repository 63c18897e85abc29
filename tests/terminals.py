"""Commands of a page as somebody types them, each in a terminal of its own, beside each other.

The trap: a terminal whose Ctrl-C does nothing, as tests that run in the background ignore it."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path


@contextlib.asynccontextmanager
async def terminal(script: str, folder: Path, **more: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A shell in which a script of the page runs; it gets Ctrl-C at the end."""
    environ = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONUNBUFFERED": "1"}
    process = await asyncio.create_subprocess_exec(
        *("env", "--default-signal=INT", "bash", "-euc", script),
        cwd=folder,
        env=environ | more,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        await process.wait()


async def line(process: asyncio.subprocess.Process) -> str:
    """The next line that it prints."""
    assert process.stdout is not None
    async with asyncio.timeout(60):
        return (await process.stdout.readline()).decode().rstrip()


async def done(script: str, folder: Path, **more: str) -> str:
    """What a script prints that ends by itself, and well."""
    async with terminal(script, folder, **more) as process:
        printed, complaint = await process.communicate()
    assert (process.returncode, complaint) == (0, b""), complaint.decode()
    return printed.decode()
