"""The engine's method for whatever revision is current. The trap: a revision promoted while the service runs must reach
the next analysis and none that is under way, so each caller takes a method once and keeps it to the end."""

from __future__ import annotations

import threading
import time
from functools import cached_property
from pathlib import Path

from pcs.base.errors import DamagedError
from pcs.base.long_lived import long_lived
from pcs.engine.method import Method, build_method
from pcs.engine.opening import Progress, open_trained
from pcs.engine.retrieval.precedents import Precedents, index_precedents
from pcs.engine.trained import Trained
from pcs.rulings.service import KeptRulings
from pcs.schedules.notebook import Notebook
from pcs.schedules.service import Shelf
from pcs.tariff.notes import Notes
from pcs.tariff.revision import ScheduleName
from pcs.tariff.ruling import RulingSource
from pcs.tariff.schedule import Schedule
from pcs.tariff.starter.pack import ChapterKnowledge, read_pack
from pcs.tariff.starter.schedules import starter_schedule

_LOOK_AGAIN_SECONDS = 5.0


class MethodShelf:
    """Opens methods from a data folder and keeps the current one of each schedule. Safe to share between threads.

    What can be made anew is kept in `cache_dir`, in the data folder's `cache` if left out.
    """

    def __init__(self, data_dir: Path, *, cache_dir: Path | None = None, progress: Progress = lambda _: None) -> None:
        self._shelf = Shelf(data_dir)
        self._notebook = Notebook(data_dir)
        self._rulings = KeptRulings(data_dir)
        self._data_dir = data_dir
        self._cache_dir = cache_dir or data_dir / "cache"
        self._progress = progress
        self._lock = threading.Lock()
        self._open: dict[ScheduleName, tuple[tuple[str | None, str, str], Method]] = {}
        self._damaged: dict[ScheduleName, tuple[DamagedError, float]] = {}

    def current(self, name: ScheduleName) -> Method:
        """The method for the promoted revision, or for the starter schedule where none is loaded.

        Raises DamagedError where the trained parts or what is stored of the schedule are not what was stored; whether
        they still are, is looked at every few seconds.
        """
        with self._lock:
            damage, found_at = self._damaged.get(name, (None, 0.0))
            if damage and time.monotonic() < found_at + _LOOK_AGAIN_SECONDS:
                raise damage
            try:
                return self._opened(name)
            except DamagedError as error:
                self._damaged[name] = (error, time.monotonic())
                raise

    def _opened(self, name: ScheduleName) -> Method:
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

    def state(self, name: ScheduleName) -> tuple[str | None, str, str]:
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

    def _state(self, name: ScheduleName) -> tuple[str | None, str, str]:
        return self._shelf.pointer(name), self._notebook.pointer(name), self._rulings.state()

    def _precedents(self, name: ScheduleName) -> Precedents:
        sources = [source for source in RulingSource if source.schedule is name]
        return index_precedents(self._rulings.of(sources))

    @cached_property
    def _pack(self) -> tuple[ChapterKnowledge, ...]:
        return read_pack(goods=False)

    @cached_property
    def _trained(self) -> Trained:
        return open_trained(self._data_dir, self._cache_dir, self._progress)
