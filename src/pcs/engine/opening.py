"""Opens what is taught to the engine. What can be counted in the knowledge pack is counted at the first opening and
kept in a cache, under the digest of all that it came from. The trap: two processes that count at once, or one that
opens what another has half written; a lock, and folders that appear whole.

A cache that is damaged is made anew; one that cannot be written is done without, in memory."""

from __future__ import annotations

import hashlib
import logging
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import numpy as np
import Stemmer

from pcs.base.locks import EXCLUSIVE, locked
from pcs.engine.arrays import Arrays, BrokenArraysError, open_arrays, write_arrays
from pcs.engine.counting.corpus import fit_corpus
from pcs.engine.counting.counted import count
from pcs.engine.counting.lessons import Lesson, digest, pack_lessons
from pcs.engine.learned_file import open_learned
from pcs.engine.trained import Trained
from pcs.engine.trained_file import trained_path, unsealed

Progress = Callable[[str], None]
Lessons = Callable[[], Sequence[Lesson]]

_log = logging.getLogger(__name__)
_KEPT = 2  # folders: this version's and, while processes are replaced, the one before
_DRIFT = "drift"


def open_trained(
    data_dir: Path, cache_dir: Path, progress: Progress = lambda _: None, *, lessons: Lessons = pack_lessons
) -> Trained:
    """The parts that the data folder holds, or else those that ship, over the pack's lessons. Raises DamagedError."""
    path = trained_path(data_dir)
    arrays = _arrays(cache_dir / f"trained-{_origin(path)}", lambda: _made(path, lessons, progress))
    if arrays[_DRIFT].any():
        _log.warning("The knowledge pack says something else than when the engine was trained: run `pcs train`.")
    return Trained.from_arrays(arrays)


def _arrays(folder: Path, make: Callable[[], Arrays]) -> Arrays:
    """What was counted and learned, from the cache where it is there and sound."""
    with suppress(BrokenArraysError):
        return open_arrays(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = locked(folder.with_name("trained.lock"), EXCLUSIVE)
    except OSError as error:
        _log.warning("The cache folder cannot be written (%s): the knowledge pack is counted at each start.", error)
        return make()
    with lock:
        with suppress(BrokenArraysError):
            return open_arrays(folder)
        made = make()
        try:
            write_arrays(folder, made)
            _forget_others(folder)
            return open_arrays(folder)
        except (OSError, BrokenArraysError) as error:
            _log.warning("The cache cannot be kept (%s): the knowledge pack is counted at each start.", error)
            return made


def _made(path: Path, lessons: Lessons, progress: Progress) -> Arrays:
    learned = open_learned(path)
    _log.info("counting what the knowledge pack teaches, once for this version of it")
    progress("Reading the knowledge pack")
    ours = lessons()
    taught = [*ours, *learned.rulings]
    progress("Counting its words")
    vectoriser, matrix = fit_corpus([lesson.text for lesson in taught])
    progress("Counting what each code's goods say")
    trained = Trained.of(count(taught, vectoriser, matrix), learned)
    return {**trained.arrays(), _DRIFT: np.array([digest(ours) != learned.made_from.lessons])}


def _origin(path: Path) -> str:
    """The digest of all that the cache comes from: what was learned, the pack, and the code that counts."""
    found = hashlib.sha256(Stemmer.version().encode())
    files = [*_files(resources.files("pcs.tariff.starter"), ".txt"), *_files(resources.files("pcs.engine"), ".py")]
    files += _files(resources.files("pcs.tariff.starter"), ".py")
    for content in (unsealed(path), *(file.read_bytes() for file in files)):
        found.update(hashlib.sha256(content).digest())
    return found.hexdigest()[:32]


def _files(folder: Traversable, ending: str) -> Iterator[Traversable]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _files(entry, ending)
        elif entry.name.endswith(ending):
            yield entry


def _forget_others(folder: Path) -> None:
    """Remove what earlier versions kept, but for the latest; who has it open keeps it."""
    others = sorted(folder.parent.glob("trained-*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in others[_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)
