"""Counting in another process, so that whoever opens the engine never has the memory that counting takes. The trap: a
process that the system ended for want of memory leaves no word; its end is told in a sentence that says what to do."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from pcs.base.errors import OperatorError
from pcs.engine.counting.__main__ import DAMAGED, UNWRITABLE
from pcs.engine.counting.making import Progress
from pcs.engine.trained_file import trained_damage

_NEEDS = "1 GB"


class CountingError(OperatorError):
    """The knowledge pack could not be counted."""


def count_apart(learned_at: Path, folder: Path, progress: Progress) -> None:
    """Have the folder written by a process of its own, which ends with this one.

    Raises DamagedError, OSError where the folder cannot be written, and CountingError for whatever else ended it.
    """
    command = [sys.executable, "-m", "pcs.engine.counting", str(learned_at), str(folder)]
    with subprocess.Popen(  # noqa: S603 (our own module)
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as counting:
        assert counting.stdout
        for line in counting.stdout:
            progress(line.rstrip())
        status = counting.wait()
    if status == DAMAGED:
        raise trained_damage(learned_at)
    if status == UNWRITABLE:
        msg = f"{folder.parent} cannot be written"
        raise OSError(msg)
    if status:
        raise CountingError(_told(status))


def _told(status: int) -> str:
    if status == -signal.SIGKILL:
        return (
            "Counting the knowledge pack was ended by the system, most likely for want of memory: it takes "
            f"{_NEEDS}, once for each version. Give the machine more memory and start again, or run `pcs prepare` on "
            "another with the same version and data and copy its cache folder here (PCS_CACHE_DIR)."
        )
    how = f"with status {status}" if status > 0 else f"by {signal.Signals(-status).name}"
    return (
        f"Counting the knowledge pack ended {how}, and the engine cannot work without: see what it said, start again."
    )
