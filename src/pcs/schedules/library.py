"""The law of an installation, for all who read it: revisions of the schedules, notes and rulings.

The traps: a revision takes tens of megabytes, so a process has one library and that holds each revision once; and what
is shown must be of the revision that it names, so a look-up takes one revision and reads all of it from there."""

from __future__ import annotations

import datetime as dt
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from pcs.base.errors import DamagedError, NotFoundError
from pcs.base.long_lived import long_lived
from pcs.rulings.service import SharedRulings
from pcs.schedules.correlations import correlation_state, stored_correlation
from pcs.schedules.entries import Branch, CodeEntry, Hit, Places, ScheduleState, branches_of, entry_of, places_of
from pcs.schedules.in_force import in_force_on
from pcs.schedules.model import StoredRevision, UnknownRevisionError
from pcs.schedules.service import Revisions
from pcs.schedules.stored_notes import StoredNotes
from pcs.schedules.wording import Wording
from pcs.schedules.wordings import Wordings
from pcs.tariff.changes import Changes, changes_between
from pcs.tariff.code import Code
from pcs.tariff.former import FormerLine, former_lines
from pcs.tariff.notes import Notes
from pcs.tariff.provisions import Entry
from pcs.tariff.revision import Revision, ScheduleName
from pcs.tariff.schedule import Schedule, with_titles
from pcs.tariff.starter.pack import ChapterKnowledge, knowledge
from pcs.tariff.starter.schedules import starter_schedule

_KEPT_OPEN = 4  # two schedules, each while it changes or is compared

State = tuple[str | None, str]


class Library:
    """One data folder. Safe to share between threads; reading blocks, so call it in a thread.

    A schedule of which nothing was promoted is answered with the starter schedule. What is damaged raises DamagedError,
    but for the rulings of whoever must go on `without_damaged_rulings`.
    """

    def __init__(self, data_dir: Path, *, without_damaged_rulings: bool = False) -> None:
        self.data_dir = data_dir
        self.rulings = SharedRulings(data_dir, without_damaged=without_damaged_rulings)
        self._revisions, self._stored_notes = Revisions(data_dir), StoredNotes(data_dir)
        self._wordings = Wordings(data_dir)
        self._lock = threading.RLock()
        self._open: OrderedDict[tuple[ScheduleName, State], Schedule] = OrderedDict()
        self._places = lru_cache(maxsize=2)(self._read_places)
        self._compared = lru_cache(maxsize=8)(self._compare)
        self._former = lru_cache(maxsize=len(ScheduleName))(self._read_former)

    @property
    def pack(self) -> tuple[ChapterKnowledge, ...]:
        """The knowledge pack without its goods."""
        return knowledge()

    def state(self, name: ScheduleName) -> State:
        """What changes whenever the revision that answers or the notes do."""
        return self._revisions.pointer(name), self._stored_notes.pointer(name)

    def states(self) -> tuple[ScheduleState, ...]:
        """Every schedule, with the revision that answers."""
        return tuple(map(self._schedule_state, ScheduleName))

    def schedule(self, name: ScheduleName, edition: str | None = None) -> Schedule:
        """The revision that answers, or a stored one by its edition or key. Raises NotFoundError."""
        key = self._revisions.pointer(name) if edition is None else self._key(name, edition)
        place = (name, (key, self._stored_notes.pointer(name)))
        with self._lock:
            if place not in self._open:
                with long_lived():
                    self._open[place] = self._read(name, key)
            self._open.move_to_end(place)
            while len(self._open) > _KEPT_OPEN:
                self._open.popitem(last=False)
            return self._open[place]

    def notes(self, name: ScheduleName) -> Notes | None:
        """What binds and explains under a schedule; None where no notes were imported."""
        return self._stored_notes.notes(name)

    def revisions(self, name: ScheduleName) -> list[StoredRevision]:
        """Every stored revision, the one stored last first."""
        return self._revisions.stored(name)[::-1]

    def current_key(self, name: ScheduleName) -> str | None:
        """The key of the revision that answers, None where the starter schedule does."""
        return self._revisions.pointer(name)

    def key_on(self, name: ScheduleName, day: dt.date | None, today: dt.date) -> str | None:
        """The key of the revision in force on a day; that of the one that answers where no day is given, or today.

        None where that is the starter schedule, which has no days. Raises NotFoundError where none is loaded.
        """
        current = self.current_key(name)
        if current is None or day in {None, today}:
            return current
        return in_force_on(name, self._revisions.stored(name), current, day or today, today).key

    def languages(self, name: ScheduleName, edition: str) -> tuple[str, ...]:
        """The languages that the official words of an edition are loaded in, ISO 639-1, its own first."""
        return self._wordings.languages(name, edition)

    def reads(self, name: ScheduleName, edition: str, wanted: Iterable[str]) -> str | None:
        """The first of the languages wanted that the official words of an edition are loaded in; None without one."""
        spoken = self.languages(name, edition)
        return next((each for each in wanted if each in spoken), None)

    def wording(self, name: ScheduleName, edition: str, language: str | None) -> Wording | None:
        """The words of an edition in another language; None where it is its own or is not loaded."""
        return self._wordings.find(name, edition, language) if language else None

    def chapters(
        self, name: ScheduleName, edition: str | None = None, *, language: str | None = None
    ) -> tuple[Revision, tuple[Branch, ...]]:
        """A revision and the top of its tree, in a language where that is loaded."""
        schedule = self.schedule(name, edition)
        top = [node for node in schedule.nodes if node.parent is None and node.code]
        return schedule.revision, branches_of(schedule, top, self._wording_of(schedule, language))

    def look_up(
        self,
        name: ScheduleName,
        code: Code,
        edition: str | None = None,
        customs: Entry | None = None,
        *,
        language: str | None = None,
    ) -> CodeEntry:
        """What a revision says of a code, and of its duties for goods entered so, in a language where that is loaded.

        Raises NotFoundError.
        """
        schedule = self.schedule(name, edition)
        wording = self._wording_of(schedule, language)
        return entry_of(schedule, code, self.notes(name), customs or Entry(), wording)

    def search(
        self, name: ScheduleName, words: str, edition: str | None = None, *, language: str | None = None
    ) -> list[Hit]:
        """Places whose words, with those above them, hold every word typed in one of the loaded languages; or that
        begin with the code typed. They are told in `language` where that is loaded."""
        places = self._places(name, self.state(name), edition)
        return places.search(words, self.wordings(places.schedule), self._wording_of(places.schedule, language))

    def hits(
        self, name: ScheduleName, codes: Iterable[Code], edition: str | None = None, *, language: str | None = None
    ) -> list[Hit]:
        """The places of those codes that the revision has, in their order, told in `language` where that is loaded."""
        places = self._places(name, self.state(name), edition)
        return places.at(codes, self._wording_of(places.schedule, language))

    def wordings(self, schedule: Schedule) -> list[Wording]:
        """The words of a revision in every other language that is loaded."""
        spoken = self.languages(schedule.revision.schedule, schedule.revision.edition)[1:]
        return [found for each in spoken if (found := self._wording_of(schedule, each))]

    def _wording_of(self, schedule: Schedule, language: str | None) -> Wording | None:
        return self.wording(schedule.revision.schedule, schedule.revision.edition, language)

    def pair(self, name: ScheduleName, before: str, after: str) -> tuple[str, str]:
        """The two revisions to compare: those named; for an empty name the one stored last, or before it, if any, in
        the language of the one that answers."""
        last, previous, *_ = [*self._comparable(name), "", ""]
        return before or previous, after or last

    def changes(self, name: ScheduleName, before: str, after: str) -> Changes | None:
        """What changed from one stored revision to another; None where one has no name. Raises NotFoundError."""
        return self._compared(name, before, after, correlation_state(self.data_dir)) if before and after else None

    def former_lines(self, name: ScheduleName) -> Mapping[Code, FormerLine]:
        """The lines that stored revisions before the one that answers had, and that are gone."""
        state = self.state(name), correlation_state(self.data_dir)
        return self._former(name, state, tuple(self._comparable(name)))

    def _read_former(
        self, name: ScheduleName, _: tuple[State, int], keys: tuple[str, ...]
    ) -> Mapping[Code, FormerLine]:
        current = self.current_key(name)
        earlier = (self._read(name, key) for key in keys if key != current)  # not kept: the revision that answers is
        return former_lines(self.schedule(name), earlier, stored_correlation(self.data_dir)) if current else {}

    def _comparable(self, name: ScheduleName) -> list[str]:
        """The keys of the stored revisions in the language of the one that answers: others say the same differently."""
        stored, current = self.revisions(name), self.current_key(name)
        spoken = next((each.revision.language for each in stored if each.key == current), "en")
        return [each.key for each in stored if each.revision.language == spoken]

    def _compare(self, name: ScheduleName, before: str, after: str, _: int) -> Changes:
        return changes_between(
            self.schedule(name, before), self.schedule(name, after), stored_correlation(self.data_dir)
        )

    def _read_places(self, name: ScheduleName, _: State, edition: str | None) -> Places:
        return places_of(self.schedule(name, edition))

    def _read(self, name: ScheduleName, key: str | None) -> Schedule:
        found = self._revisions.promoted(name, key) if key else starter_schedule(name, self.pack)
        notes = self._stored_notes.own(name)
        return with_titles(found, notes.titles) if notes else found

    def _key(self, name: ScheduleName, edition: str) -> str:
        try:
            return self._revisions.find(name, edition).key
        except UnknownRevisionError as error:
            raise NotFoundError(str(error)) from error

    def _schedule_state(self, name: ScheduleName) -> ScheduleState:
        stored = tuple(self._revisions.stored(name))
        try:
            schedule = self.schedule(name)
        except DamagedError as error:
            return ScheduleState(Revision(name, "", ""), 0, stored, (), damaged=str(error))
        languages = self.languages(name, schedule.revision.edition)
        return ScheduleState(schedule.revision, len(schedule.lines), stored, languages)
