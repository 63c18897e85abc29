"""The engine's method for whatever revision is current. The trap: a revision promoted while the service runs must reach
the next analysis and none that is under way, so each caller takes a method once and keeps it to the end."""

from __future__ import annotations

import threading
from functools import cached_property
from pathlib import Path

from pcs.engine.method import Method, build_method
from pcs.engine.trained import SHIPPED, Trained
from pcs.schedules.service import Shelf
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Schedule
from pcs.tariff.starter.pack import ChapterKnowledge, read_pack
from pcs.tariff.starter.schedules import starter_schedule

TRAINED_HERE = "trained.npz"  # what `pcs train` writes into the data folder; it goes before what was shipped


class MethodShelf:
    """Opens methods from a data folder and keeps the current one of each schedule. Safe to share between threads."""

    def __init__(self, data_dir: Path) -> None:
        self._shelf = Shelf(data_dir)
        self._trained_here = data_dir / TRAINED_HERE
        self._lock = threading.Lock()
        self._open: dict[ScheduleName, tuple[str | None, Method]] = {}

    def current(self, name: ScheduleName) -> Method:
        """The method for the promoted revision, or for the starter schedule where none is loaded.

        Raises TrainedMismatchError where the trained parts do not belong to the installed pack.
        """
        with self._lock:
            pointer = self._shelf.pointer(name)
            kept = self._open.get(name)
            if kept is None or kept[0] != pointer:
                kept = (pointer, build_method(self.schedule(name), self._trained, self._pack))
                self._open[name] = kept
            return kept[1]

    def schedule(self, name: ScheduleName) -> Schedule:
        """The promoted revision, or the starter schedule where none is loaded."""
        return self._shelf.current(name) or starter_schedule(name, self._pack)

    @cached_property
    def _pack(self) -> tuple[ChapterKnowledge, ...]:
        return read_pack()

    @cached_property
    def _trained(self) -> Trained:
        path = self._trained_here if self._trained_here.exists() else SHIPPED
        return Trained.open(path)
