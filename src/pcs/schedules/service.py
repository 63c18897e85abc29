"""The stored revisions of the schedules: stage, check, promote, roll back, open. The trap: promoting half a file would
give wrong codes to everybody at once, so nothing is promoted that was not read back whole and passed every check."""

from __future__ import annotations

from pathlib import Path

from pcs.base.errors import DamagedError
from pcs.schedules import store
from pcs.schedules.correlations import stored_correlation
from pcs.schedules.model import NothingToRollBackError, StoredRevision, UnknownRevisionError
from pcs.tariff.changes import Changes, changes_between
from pcs.tariff.checks import problems_of, require_complete
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Schedule

_KEPT_FOR_ROLLBACK = 10


class Revisions:
    """The revisions in a data folder. Safe to share between threads; other processes see a promotion at once. Each is
    read when it is asked for; whoever asks often has a Library."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir

    def pointer(self, name: ScheduleName) -> str | None:
        """The key of the current revision, None where nothing was promoted. Cheap: it reads one small file.

        Raises DamagedError.
        """
        return next(iter(store.read_pointer(self._data_dir, name)), None)

    def current(self, name: ScheduleName) -> Schedule | None:
        """The promoted revision of a schedule, None where there is none. Raises DamagedError."""
        key = self.pointer(name)
        return None if key is None else self.promoted(name, key)

    def promoted(self, name: ScheduleName, key: str) -> Schedule:
        """The revision of that key, which must be there. Raises DamagedError."""
        return store.read_schedule(self._data_dir, store.read_promoted(self._data_dir, name, key))

    def open(self, name: ScheduleName, edition: str) -> Schedule:
        """A stored revision by its edition or its key. Raises UnknownRevisionError and DamagedError."""
        return store.read_schedule(self._data_dir, self.find(name, edition))

    def changes(self, name: ScheduleName, before: str, after: str) -> Changes:
        """What changed from one stored revision to another. Raises UnknownRevisionError and DamagedError."""
        correlation = stored_correlation(self._data_dir)
        return changes_between(self.open(name, before), self.open(name, after), correlation)

    def stored(self, name: ScheduleName) -> list[StoredRevision]:
        """Every stored revision, the one stored last at the end."""
        return store.list_revisions(self._data_dir, name)

    def stage(self, schedule: Schedule) -> StoredRevision:
        """Store a revision without letting it answer.

        Raises IncompleteScheduleError where the schedule is not whole, before anything is stored.
        """
        require_complete(schedule)
        return store.write_revision(self._data_dir, schedule)

    def problems(self, name: ScheduleName, edition: str) -> list[str]:
        """What is wrong with a stored revision, compared with the current one; a sentence each."""
        stored = self.find(name, edition)
        return problems_of(store.read_schedule(self._data_dir, stored), self._last(stored))

    def promote(self, name: ScheduleName, edition: str) -> StoredRevision:
        """Let a stored revision answer from now on.

        It is read back from the disk and checked first. Raises IncompleteScheduleError, DamagedError or
        UnknownRevisionError and then leaves the current one alone.
        """
        with store.exclusive(self._data_dir, name):
            stored = self.find(name, edition)
            require_complete(store.read_schedule(self._data_dir, stored), self._last(stored))
            keys = self._promoted(name)
            if keys[:1] != [stored.key]:
                store.write_pointer(self._data_dir, name, [stored.key, *keys][:_KEPT_FOR_ROLLBACK])
            return stored

    def rollback(self, name: ScheduleName) -> StoredRevision:
        """Make the previous revision the current one again. Raises NothingToRollBackError where there is none."""
        with store.exclusive(self._data_dir, name):
            keys = store.read_pointer(self._data_dir, name)[1:]
            if not keys:
                msg = f"{name} has no earlier revision to go back to."
                raise NothingToRollBackError(msg)
            stored = self.find(name, keys[0])
            store.read_schedule(self._data_dir, stored)
            store.write_pointer(self._data_dir, name, keys)
            return stored

    def find(self, name: ScheduleName, edition: str) -> StoredRevision:
        """The revision of that key, or the one stored last of that edition. Raises UnknownRevisionError."""
        stored = self.stored(name)
        found = [each for each in stored if edition in {each.key, each.revision.edition}]
        if not found:
            raise UnknownRevisionError(name, edition, [each.key for each in stored])
        return found[-1]

    def _promoted(self, name: ScheduleName) -> list[str]:
        """The keys promoted so far; none where what says so is damaged, so that a promotion mends it."""
        try:
            return store.read_pointer(self._data_dir, name)
        except DamagedError:
            return []

    def _last(self, stored: StoredRevision) -> Schedule | None:
        """The current revision, where it is another one and can be read."""
        name = stored.revision.schedule
        try:
            return None if self.pointer(name) in {None, stored.key} else self.current(name)
        except DamagedError:
            return None
