"""What can be made anew is kept in the cache folder, under the digest of all that it came from. The trap: two processes
that make it at once, or one that opens what another has half written; a lock, and folders that appear whole.

What is damaged is made anew; where nothing can be written it is done without, in memory."""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from pcs.base.locks import EXCLUSIVE, locked
from pcs.engine.arrays import Arrays, BrokenArraysError, open_arrays, remove_unfinished, write_arrays

_log = logging.getLogger(__name__)
_LOCK = "cache.lock"


def kept(folder: Path, here: Callable[[], Arrays], apart: Callable[[Path], None] | None = None, *, most: int) -> Arrays:
    """What the folder holds, made first where it is not there or not sound: `here` makes it in memory, `apart`, where
    it is given, has another process write the folder.

    Folders are named "kind-digest"; of each kind those used last are kept, `most` of them.
    """
    with suppress(BrokenArraysError):
        return _opened(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = locked(folder.with_name(_LOCK), EXCLUSIVE)
    except OSError as error:
        _log.warning("The cache folder cannot be written (%s): the engine takes longer at each start.", error)
        return here()
    with lock:
        with suppress(BrokenArraysError):
            return _opened(folder)
        try:
            remove_unfinished(folder.parent)
            if apart:
                apart(folder)
            else:
                write_arrays(folder, here())
            _forget_others(folder, most)
            return open_arrays(folder)
        except (OSError, BrokenArraysError) as error:
            _log.warning("The cache cannot be kept (%s): the engine takes longer at each start.", error)
            return here()


def digest_of(contents: Iterable[bytes]) -> str:
    """The digest of these together, as a folder is named after it."""
    found = hashlib.sha256()
    for content in contents:
        found.update(hashlib.sha256(content).digest())
    return found.hexdigest()[:32]


@cache
def program_digest(*modules: str) -> bytes:
    """The digest of these modules, as they were when it was first asked for; a package stands for all of its own."""
    return digest_of(file.read_bytes() for module in modules for file in _sources(module)).encode()


@cache
def pack_digest() -> bytes:
    """The digest of the knowledge pack's files, as they were when it was first asked for."""
    return digest_of(file.read_bytes() for file in _files(resources.files("pcs.tariff.starter"), ".txt")).encode()


def _sources(module: str) -> Iterator[Traversable]:
    parent, _, name = module.rpartition(".")
    above = resources.files(parent)
    return _files(above / name, ".py") if (above / name).is_dir() else iter([above / f"{name}.py"])


def _files(folder: Traversable, ending: str) -> Iterator[Traversable]:
    """The files of a folder and of those in it that end so, in order."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _files(entry, ending)
        elif entry.name.endswith(ending):
            yield entry


def _opened(folder: Path) -> Arrays:
    """What a folder holds, which is used now. Raises BrokenArraysError."""
    found = open_arrays(folder)
    with suppress(OSError):  # it may be somebody else's
        os.utime(folder)
    return found


def _forget_others(folder: Path, most: int) -> None:
    """Remove what was used before the last of its kind; who has it open keeps it."""
    kind, _, _ = folder.name.partition("-")
    others = sorted(folder.parent.glob(f"{kind}-*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in others[most:]:
        shutil.rmtree(old, ignore_errors=True)
