"""Locks between processes, on files. The trap: a lock file that outlives its owner; the kernel drops these with it."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import IO

SHARED = fcntl.LOCK_SH
EXCLUSIVE = fcntl.LOCK_EX
EXCLUSIVE_NOW = fcntl.LOCK_EX | fcntl.LOCK_NB


def locked(path: Path, operation: int) -> IO[bytes]:
    """An open file that holds a lock until it is closed or its process ends.

    Raises BlockingIOError where `operation` does not wait and somebody else holds it.
    """
    file = path.open("ab")
    try:
        fcntl.flock(file, operation)
    except BaseException:
        file.close()
        raise
    return file
