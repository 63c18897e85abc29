"""The file of rulings as others use it. The trap: it grows while the service runs, so a reader asks for its version
and takes a fresh look when that changed."""

from __future__ import annotations

import datetime as dt
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TypeVar

import structlog

from pcs.base.errors import DamagedError
from pcs.rulings.store import RulingStore, known_damage
from pcs.tariff.ruling import Ruling, RulingSource, RulingStatus, normal_reference

_log = structlog.get_logger(__name__)
_BATCH = 500  # rulings a transaction: large enough to be fast, small enough to lose little

Report = Callable[[int], None]
Found = TypeVar("Found")


def corpus_file(data_dir: Path) -> Path:
    """Where the rulings of a data folder are stored."""
    return data_dir / "rulings" / "rulings.sqlite"


class RulingCorpus:
    """The rulings in a data folder. Opens at once: nothing is read before it is asked for, and whatever finds that it
    is not what was stored raises DamagedError.

    One for each thread; with `one_thread=False`, one for threads that take turns.
    """

    def __init__(self, data_dir: Path, *, one_thread: bool = True) -> None:
        self._store = RulingStore(corpus_file(data_dir), one_thread=one_thread)

    def close(self) -> None:
        """Let go of the file."""
        self._store.close()

    def __len__(self) -> int:
        return sum(self.counts().values())

    def get(self, reference: str) -> Ruling | None:
        """A ruling by its reference, however it is written; None if it is not in the corpus."""
        return self._store.get(normal_reference(reference))

    def scan(self, source: RulingSource | None = None, *, with_text: bool = True) -> Iterator[Ruling]:
        """Every ruling, one at a time; without texts it takes about a second for 200,000."""
        return self._store.scan(source, with_text=with_text)

    def search(
        self, words: str = "", *, code: str = "", source: RulingSource | None = None, limit: int = 20
    ) -> list[Ruling]:
        """Rulings whose subject has all the words and that cite a code beginning so, newest first, without texts."""
        return self._store.search(words.split(), code=code, source=source, limit=limit)

    def counts(self) -> dict[tuple[RulingSource, RulingStatus], int]:
        """How many rulings there are of each source and status."""
        return self._store.counts()

    def version(self) -> int:
        """A number that grows whenever rulings were added or changed."""
        return self._store.version()

    def add(self, rulings: Iterable[Ruling], report: Report = lambda _: None) -> int:
        """Add rulings or what is new about them, in batches; says how many. `report` hears the number so far."""
        stream, count = iter(rulings), 0
        while batch := list(islice(stream, _BATCH)):
            with self._store.transaction():
                count += self._store.put(batch)
            report(count)
        self.derive_statuses()
        return count

    def derive_statuses(self) -> int:
        """Mark the rulings that others revoke or modify; says how many changed."""
        with self._store.transaction():
            return self._store.derive_statuses()

    def add_page(self, rulings: Iterable[Ruling], places: Mapping[str, str]) -> None:
        """Add a page of a fetch and the places that its tasks reached, all or nothing."""
        with self._store.transaction():
            self._store.put(rulings)
            for task, place in places.items():
                self._store.set_progress(task, place)

    def count_between(self, source: RulingSource, first: dt.date, last: dt.date) -> int:
        """How many rulings of a source are dated from one day to another, both included."""
        return self._store.count_between(source, first, last)

    def withdraw(self, rulings: Iterable[Ruling]) -> int:
        """Mark those of these rulings that are in the corpus as they are marked here; says how many were."""
        with self._store.transaction():
            return sum(self._store.mark(ruling.reference, ruling.status, ruling.status_from) for ruling in rulings)

    def place(self, task: str) -> str | None:
        """The place that a fetch reached."""
        return self._store.progress(task)

    def without_text(self, source: RulingSource) -> list[str]:
        """The references of which only the subject is known, newest first."""
        return self._store.without_text(source)


class SharedRulings:
    """The rulings of a data folder for any number of threads: each question opens the file and closes it.

    A damaged corpus raises DamagedError, or has no rulings for whoever must go on `without_damaged` ones.
    """

    def __init__(self, data_dir: Path, *, without_damaged: bool = False) -> None:
        self._data_dir = data_dir
        self._without_damaged = without_damaged

    def get(self, reference: str) -> Ruling | None:
        """See RulingCorpus."""
        return self._ask(lambda corpus: corpus.get(reference), None)

    def search(
        self, words: str = "", *, code: str = "", source: RulingSource | None = None, limit: int = 20
    ) -> list[Ruling]:
        """See RulingCorpus."""
        return self._ask(lambda corpus: corpus.search(words, code=code, source=source, limit=limit), [])

    def _ask(self, question: Callable[[RulingCorpus], Found], otherwise: Found) -> Found:
        try:
            with closing(RulingCorpus(self._data_dir)) as corpus:
                return question(corpus)
        except DamagedError:
            if not self._without_damaged:
                raise
            return otherwise


class KeptRulings:
    """The rulings of a data folder for one caller at a time, with the file kept open: its state is asked for before
    each analysis. A corpus that is damaged has no rulings, which is logged: answers go on without them."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._open: tuple[int, RulingCorpus] | None = None

    def state(self) -> str:
        """What changes whenever rulings were added or changed, and when another file takes the place of this one."""
        try:
            return f"{self._corpus().version()} of {self._file()}"
        except DamagedError:
            return f"damaged {self._file()}"

    def of(self, sources: Iterable[RulingSource]) -> list[Ruling]:
        """The rulings of some sources, without texts."""
        try:
            return [ruling for source in sources for ruling in self._corpus().scan(source, with_text=False)]
        except DamagedError as error:
            _log.error("answers continue without rulings", problem=str(error))
            return []

    def _corpus(self) -> RulingCorpus:
        if self._open is None or self._open[0] != self._file():
            corpus = RulingCorpus(self._data_dir, one_thread=False)
            weakref.finalize(self, corpus.close)
            self._open = (self._file(), corpus)
        return self._open[1]

    def _file(self) -> int:
        """The number of the file; another one is another file, whatever its name."""
        try:
            return corpus_file(self._data_dir).stat().st_ino
        except FileNotFoundError:
            return 0


def rulings_damage(data_dir: Path) -> DamagedError | None:
    """That the corpus was found damaged by whatever process read it last."""
    return known_damage(corpus_file(data_dir))
