"""What the long-running commands share. The trap: children that live on when their supervisor is killed; they hold the
other end of a pipe, and stop when it closes."""

from __future__ import annotations

import asyncio
import ctypes
import getpass
import os
import signal
import sys
import threading
from collections.abc import Coroutine
from typing import Any

import uvloop

from pcs.base.clock import SharedClock
from pcs.base.database import Database
from pcs.base.errors import OperatorError
from pcs.base.installation import require_same_secret
from pcs.base.secrets import Secrets
from pcs.base.settings import Settings
from pcs.base.tables import is_current
from pcs.organizations.people import Actor

SUPERVISED = "PCS_SUPERVISED"
_ARENAS = -8  # M_ARENA_MAX of glibc's malloc.h


def stop_with_supervisor() -> None:
    """In a supervised process, end it as SIGTERM would when the supervisor has gone."""
    stdin = sys.stdin.fileno()

    def wait_for_the_end() -> None:
        while os.read(stdin, 1):  # not sys.stdin: its lock would outlive the interpreter
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    if os.environ.get(SUPERVISED):
        threading.Thread(target=wait_for_the_end, daemon=True).start()


def share_one_arena() -> None:
    """Have all threads take memory from one place. glibc gives each its own and keeps what a thread leaves there, which
    with a thread an analysis is 25 MB of a worker; other C libraries have no such places."""
    if mallopt := getattr(ctypes.CDLL(None), "mallopt", None):
        mallopt(_ARENAS, 1)


def run(main: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine on a fast event loop."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main)


def operator(organization_id: str) -> Actor:
    """Whoever sits at the command line, for an organization's audit log."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):  # a container's user without a name
        name = str(os.getuid())
    return Actor(organization_id, None, f"command line ({name})", "")


async def require_tables(settings: Settings, clock: SharedClock | None = None) -> None:
    """Raise OperatorError unless the database can be reached, has this version's tables and our secret key.

    Sets the clock by the way, so that a process begins with the database's time.
    """
    database = Database(settings.database_url, pool_size=1, clock=clock)
    try:
        async with database.begin() as transaction:
            current = await transaction.run_sync(is_current)
            if current:
                await require_same_secret(transaction, Secrets(settings.secret_key))
    except OSError as error:
        raise OperatorError(str(error)) from None
    finally:
        await database.close()
    if not current:
        msg = "The database does not have this version's tables: run `pcs migrate`."
        raise OperatorError(msg)
