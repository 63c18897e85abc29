"""The engine's method for whatever revision is current. The trap: a revision promoted while the service runs must reach
the next analysis and none that is under way, so each caller takes a method once and keeps it to the end."""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections import OrderedDict
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from pcs.base.errors import DamagedError
from pcs.base.long_lived import long_lived
from pcs.engine.counting.making import Progress
from pcs.engine.languages.english import Languages
from pcs.engine.method import Method, build_method
from pcs.engine.opening import open_law, open_questions, open_trained
from pcs.engine.questions import Question
from pcs.engine.retrieval.precedents import Precedents, index_precedents
from pcs.engine.text import stem
from pcs.engine.trained import Trained
from pcs.rulings.service import KeptRulings
from pcs.schedules.library import Library, State
from pcs.tariff.code import Code
from pcs.tariff.notes import Notes
from pcs.tariff.revision import ScheduleName
from pcs.tariff.ruling import ruling_source
from pcs.tariff.schedule import Schedule
from pcs.tariff.starter.schedules import starter_schedule

_LOOK_AGAIN_SECONDS = 5.0
_OTHERS_KEPT = 2  # of days that are not today's; each takes tens of megabytes

_State = tuple[State, str]


class Methods:
    """Makes methods of a library's law and keeps the current one of each schedule. Safe to share between threads.

    What can be made anew is kept in `cache_dir`, in the data folder's `cache` if left out.
    """

    def __init__(self, library: Library, *, cache_dir: Path | None = None, progress: Progress = lambda _: None) -> None:
        self.library = library
        self._rulings = KeptRulings(library.data_dir)
        self._cache_dir = cache_dir or library.data_dir / "cache"
        self._progress = progress
        self._lock = threading.Lock()
        self._open: dict[ScheduleName, tuple[_State, Method]] = {}
        self._pairs: dict[ScheduleName, tuple[Method, Method | None, Method]] = {}
        self._damaged: dict[ScheduleName, tuple[DamagedError, float]] = {}
        self._starters: dict[ScheduleName, Method] = {}
        self._others: OrderedDict[tuple[str | None, tuple[ScheduleName, _State]], Method] = OrderedDict()

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
                return self._paired(name)
            except DamagedError as error:
                self._damaged[name] = (error, time.monotonic())
                raise

    def on(self, name: ScheduleName, day: dt.date | None) -> Method:
        """The method for the revision in force on a day, without that of its profile's sister where it is another than
        the one that answers; the last two such are kept.

        Raises NotFoundError where no loaded revision covers the day, and DamagedError.
        """
        key = self.library.key_on(name, day, dt.datetime.now(tz=dt.UTC).date())
        if key == self.library.current_key(name):
            return self.current(name)
        with self._lock:
            return self._of_another(key, (name, self._state(name)))

    def starter(self, name: ScheduleName) -> Method:
        """The method for the starter schedule alone, whatever is loaded: the same in every installation."""
        with self._lock:
            if name not in self._starters:
                with long_lived():
                    languages, schedule = self._languages, starter_schedule(name, self.library.pack)
                    self._starters[name] = self._laid_over(schedule, languages)
            return self._starters[name]

    def _paired(self, name: ScheduleName) -> Method:
        """The method with that of its profile's sister; alone where there is none, or the sister's data is damaged."""
        own, other = self._opened(name), self._sister_of(name)
        kept = self._pairs.get(name)
        if kept is None or kept[0] is not own or kept[1] is not other:
            kept = (own, other, replace(own, sister=other))
            self._pairs[name] = kept
        return kept[2]

    def _sister_of(self, name: ScheduleName) -> Method | None:
        sister = name.profile.sister
        try:
            return self._opened(ScheduleName(sister)) if sister else None
        except DamagedError:
            return None

    def _opened(self, name: ScheduleName) -> Method:
        state = self._state(name)
        kept = self._open.get(name)
        if kept is None or kept[0] != state:
            with long_lived():
                kept = (state, self._build(name))
            self._open[name] = kept
        return kept[1]

    def _of_another(self, key: str | None, place: tuple[ScheduleName, _State]) -> Method:
        if (key, place) not in self._others:
            with long_lived():
                self._others[key, place] = self._build(place[0], key)
        self._others.move_to_end((key, place))
        while len(self._others) > _OTHERS_KEPT:
            self._others.popitem(last=False)
        return self._others[key, place]

    def _build(self, name: ScheduleName, key: str | None = None) -> Method:
        languages = self._languages  # first: what making it took is used again by all that follows
        return self._laid_over(
            self.library.schedule(name, key), languages, self.library.notes(name), self._precedents(name)
        )

    def _laid_over(
        self, schedule: Schedule, languages: Languages, notes: Notes | None = None, precedents: Precedents | None = None
    ) -> Method:
        """What the engine stands on laid over a revision."""
        return build_method(
            schedule,
            self._trained,
            self.library.pack,
            notes=notes,
            precedents=precedents,
            languages=languages,
            law=open_law(self._cache_dir, schedule),
            asked=self._questions,
        )

    def _state(self, name: ScheduleName) -> _State:
        return self.library.state(name), self._rulings.state()

    def _precedents(self, name: ScheduleName) -> Precedents:
        source = ruling_source(name)
        return index_precedents(self._rulings.of([source] if source else []))

    @cached_property
    def _languages(self) -> Languages:
        commonness = self._trained.vectoriser.commonness
        return Languages(self._trained.lexicons, lambda word: commonness(stem(word)))

    @cached_property
    def _questions(self) -> dict[Code, tuple[Question, ...]]:
        return open_questions(self._cache_dir)

    @cached_property
    def _trained(self) -> Trained:
        return open_trained(self.library.data_dir, self._cache_dir, self._progress)
