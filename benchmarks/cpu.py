"""Processor time that processes have taken: on a busy machine it tells more than the clock on the wall.

The trap: PostgreSQL's share, which another process takes; its backends are counted too."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

_TICK = 1 / os.sysconf("SC_CLK_TCK")


def cpu_seconds(pids: Iterable[int]) -> float:
    """What these processes have taken so far, those of their children included that have ended."""
    return sum(_taken(pid) for pid in pids)


def postgres_pids(data_dir: Path) -> list[int]:
    """The server whose data lies in a folder, and its backends."""
    [file] = data_dir.glob("**/postmaster.pid")
    postmaster = int(file.read_text(encoding="ascii").splitlines()[0])
    return [postmaster, *(pid for pid in _all_pids() if _parent(pid) == postmaster)]


def children(pid: int) -> list[int]:
    """A process and all that it has started, and so on."""
    found = [pid]
    for one in found:
        found += [other for other in _all_pids() if _parent(other) == one]
    return found


def _all_pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _fields(pid: int) -> list[str]:
    """`/proc/…/stat` from the state on; empty for a process that has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _parent(pid: int) -> int:
    fields = _fields(pid)
    return int(fields[1]) if fields else 0


def _taken(pid: int) -> float:
    fields = _fields(pid)
    return sum(int(ticks) for ticks in fields[11:15]) * _TICK if fields else 0.0
