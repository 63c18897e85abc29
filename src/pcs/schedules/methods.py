"""The engine's method for whatever revision is current. The trap: a revision promoted while the service runs must reach
the next analysis and none that is under way, so each caller takes a method once and keeps it to the end."""

from __future__ import annotations

import threading
import weakref
from functools import cached_property
from pathlib import Path

from pcs.base.long_lived import long_lived
from pcs.engine.method import Method, build_method
from pcs.engine.retrieval.precedents import Precedents, index_precedents
from pcs.engine.trained import SHIPPED, Trained
from pcs.rulings.service import RulingCorpus
from pcs.schedules.notebook import Notebook
from pcs.schedules.service import Shelf
from pcs.tariff.notes import Notes
from pcs.tariff.revision import ScheduleName
from pcs.tariff.ruling import RulingSource
from pcs.tariff.schedule import Schedule
from pcs.tariff.starter.digest import pack_digest
from pcs.tariff.starter.pack import ChapterKnowledge, read_pack
from pcs.tariff.starter.schedules import starter_schedule

TRAINED_HERE = "trained.npz"  # what `pcs train` writes into the data folder; it goes before what was shipped


class MethodShelf:
    """Opens methods from a data folder and keeps the current one of each schedule. Safe to share between threads."""

    def __init__(self, data_dir: Path) -> None:
        self._shelf = Shelf(data_dir)
        self._notebook = Notebook(data_dir)
        self._data_dir = data_dir
        self._trained_here = data_dir / TRAINED_HERE
        self._lock = threading.Lock()
        self._open: dict[ScheduleName, tuple[tuple[str | None, str, int], Method]] = {}

    def current(self, name: ScheduleName) -> Method:
        """The method for the promoted revision, or for the starter schedule where none is loaded.

        Raises TrainedMismatchError where the trained parts do not belong to the installed pack.
        """
        with self._lock:
            state = self._state(name)
            kept = self._open.get(name)
            if kept is None or kept[0] != state:
                with long_lived():
                    kept = (state, self._build(name))
                self._open[name] = kept
            return kept[1]

    def schedule(self, name: ScheduleName) -> Schedule:
        """The promoted revision, or the starter schedule where none is loaded."""
        return self._shelf.current(name) or starter_schedule(name, self._pack)

    def notes(self, name: ScheduleName) -> Notes | None:
        """The notes that bind and explain under a schedule; None where none were imported."""
        return self._notebook.notes(name)

    def state(self, name: ScheduleName) -> tuple[str | None, str, int]:
        """What changes whenever the revision, the notes or the rulings do."""
        with self._lock:
            return self._state(name)

    def _build(self, name: ScheduleName) -> Method:
        return build_method(
            self.schedule(name),
            self._trained,
            self._pack,
            notes=self.notes(name),
            precedents=self._precedents(name),
        )

    def _state(self, name: ScheduleName) -> tuple[str | None, str, int]:
        return self._shelf.pointer(name), self._notebook.pointer(name), self._rulings.version()

    def _precedents(self, name: ScheduleName) -> Precedents:
        sources = [source for source in RulingSource if source.schedule is name]
        return index_precedents(ruling for source in sources for ruling in self._rulings.scan(source, with_text=False))

    @cached_property
    def _rulings(self) -> RulingCorpus:
        """The corpus, kept open: its version is asked for before each analysis. Only whoever holds the lock asks."""
        corpus = RulingCorpus(self._data_dir, one_thread=False)
        weakref.finalize(self, corpus.close)
        return corpus

    @cached_property
    def _pack(self) -> tuple[ChapterKnowledge, ...]:
        return read_pack(goods=False)

    @cached_property
    def _trained(self) -> Trained:
        path = self._trained_here if self._trained_here.exists() else SHIPPED
        return Trained.open(path, pack_digest=pack_digest())
