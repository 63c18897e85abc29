"""`python -m pcs.engine.counting LEARNED FOLDER`: counts in a process of its own, which gives its memory back at its
end, and tells its progress on standard output. The trap: one that goes on when nobody waits; it ends with its standard
input."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from threading import Thread

from pcs.base.errors import DamagedError
from pcs.engine.arrays import write_arrays
from pcs.engine.counting.making import made

DAMAGED, UNWRITABLE = 3, 4  # how it ends where its caller knows what to do


def main(learned_at: Path, folder: Path) -> int:
    """Write the folder; the status to end with."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)  # told now and not after all the work
        write_arrays(folder, made(learned_at, _tell))
    except DamagedError:
        return DAMAGED
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return UNWRITABLE
    return 0


def _tell(said: str) -> None:
    sys.stdout.write(f"{said}\n")
    sys.stdout.flush()


def _end_with_the_caller(stdin: int) -> None:
    while os.read(stdin, 1):  # not sys.stdin: its lock would outlive the interpreter
        pass
    os._exit(1)


if __name__ == "__main__":
    Thread(target=_end_with_the_caller, args=(sys.stdin.fileno(),), daemon=True).start()
    sys.exit(main(*map(Path, sys.argv[1:])))
