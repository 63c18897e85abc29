"""Opens what is taught to the engine. What can be counted in the knowledge pack is counted at the first opening, by a
process of its own, and kept in a cache, under the digest of all that it came from. The trap: two processes that count
at once, or one that opens what another has half written; a lock, and folders that appear whole.

A cache that is damaged is made anew; one that cannot be written is done without, in memory."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pcs.base.locks import EXCLUSIVE, locked
from pcs.engine.arrays import Arrays, BrokenArraysError, open_arrays, remove_unfinished, write_arrays
from pcs.engine.counting.apart import count_apart
from pcs.engine.counting.lessons import pack_lessons
from pcs.engine.counting.making import DRIFT, Lessons, Progress, made, origin
from pcs.engine.trained import Trained
from pcs.engine.trained_file import trained_path

_log = logging.getLogger(__name__)
_KEPT = 2  # folders: this version's and, while processes are replaced, the one before


def open_trained(
    data_dir: Path, cache_dir: Path, progress: Progress = lambda _: None, *, lessons: Lessons | None = None
) -> Trained:
    """The parts that the data folder holds, or else those that ship, over the pack's lessons, or over these.

    Raises DamagedError, and CountingError where the process that counts was ended.
    """
    path = trained_path(data_dir)

    def here() -> Arrays:
        return made(path, progress, lessons or pack_lessons)

    def make(folder: Path) -> None:
        if lessons:
            write_arrays(folder, here())
        else:
            count_apart(path, folder, progress)

    arrays = _arrays(cache_dir / f"trained-{origin(path)}", make, here)
    if arrays[DRIFT].any():
        _log.warning("The knowledge pack says something else than when the engine was trained: run `pcs train`.")
    return Trained.from_arrays(arrays)


def _arrays(folder: Path, make: Callable[[Path], None], here: Callable[[], Arrays]) -> Arrays:
    """What was counted and learned, from the cache where it is there and sound."""
    with suppress(BrokenArraysError):
        return open_arrays(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = locked(folder.with_name("trained.lock"), EXCLUSIVE)
    except OSError as error:
        _log.warning("The cache folder cannot be written (%s): the knowledge pack is counted at each start.", error)
        return here()
    with lock:
        with suppress(BrokenArraysError):
            return open_arrays(folder)
        try:
            remove_unfinished(folder.parent)
            make(folder)
            _forget_others(folder)
            return open_arrays(folder)
        except (OSError, BrokenArraysError) as error:
            _log.warning("The cache cannot be kept (%s): the knowledge pack is counted at each start.", error)
            return here()


def _forget_others(folder: Path) -> None:
    """Remove what earlier versions kept, but for the latest; who has it open keeps it."""
    others = sorted(folder.parent.glob("trained-*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in others[_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)
