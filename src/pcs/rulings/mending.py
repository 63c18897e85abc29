"""A damaged corpus of rulings set up anew from what can still be read of it.

The trap: one bad page ends every walk through the table, so each row is asked for by its own number; and what was
damaged is kept beside the new file, for nothing is thrown away that somebody may still want."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from pcs.base.errors import DamagedError, OperatorError
from pcs.rulings.service import RulingCorpus, corpus_file
from pcs.rulings.store import RulingStore
from pcs.tariff.ruling import Ruling

# Where a SQLite file says how large its pages are, and how many there are (https://sqlite.org/fileformat2.html, 1.3).
_PAGE_SIZE, _PAGES = slice(16, 18), slice(28, 32)
_MOST_CUT_OFF = 1_000  # times what is left; a longer file was never there, the numbers are damaged
_OWN_FILES = ("", "-wal", "-shm")


@dataclass(frozen=True, slots=True)
class Mended:
    """What came of it: rulings that could be read, and where the damaged file lies now."""

    kept: int
    damaged: Path


def mend(data_dir: Path, report: Callable[[int], None] = lambda _: None) -> Mended:
    """Set the corpus up anew. Nobody may fetch or import meanwhile; whoever reads turns to the new file by himself.

    Places that fetches reached are forgotten, so that the next one asks for everything that is missing. Raises
    OperatorError where there is none.
    """
    path = corpus_file(data_dir)
    if not path.exists():
        msg = f"There is no file of rulings in {data_dir}."
        raise OperatorError(msg)
    with tempfile.TemporaryDirectory(prefix=".stage-", dir=data_dir) as stage:
        with closing(RulingCorpus(Path(stage))) as fresh:
            kept = fresh.add(_readable(_whole_copy(path, Path(stage))), report)
        damaged = path.with_name("rulings.damaged.sqlite")
        for ending in _OWN_FILES:
            with contextlib.suppress(FileNotFoundError):
                path.with_name(path.name + ending).replace(damaged.with_name(damaged.name + ending))
        corpus_file(Path(stage)).replace(path)
    return Mended(kept, damaged)


def _whole_copy(path: Path, folder: Path) -> Path:
    """A copy as long as its first page says that it is: of a file that was cut off nothing at all could be read."""
    copy = folder / "damaged.sqlite"
    for ending in ("", "-wal"):
        with contextlib.suppress(FileNotFoundError):
            shutil.copyfile(path.with_name(path.name + ending), copy.with_name(copy.name + ending))
    with copy.open("r+b") as file:
        head = file.read(_PAGES.stop)
        size = int.from_bytes(head[_PAGE_SIZE]) * int.from_bytes(head[_PAGES])
        if copy.stat().st_size < size <= copy.stat().st_size * _MOST_CUT_OFF:
            file.truncate(size)
    return copy


def _readable(path: Path) -> Iterator[Ruling]:
    try:
        store = RulingStore(path)
    except (DamagedError, sqlite3.Error):
        return
    with closing(store):
        for number in range(1, store.last_row() + 1):
            with contextlib.suppress(DamagedError):
                if ruling := store.row(number):
                    yield ruling
