"""Looking around in a schedule: its chapters, a search in its words, its revisions and what changed between two.

The trap: comparing two revisions takes seconds and holds both in memory, so it is done off the event loop and kept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pcs.base.errors import NotFoundError
from pcs.schedules.model import StoredRevision, UnknownRevisionError
from pcs.schedules.reference import CodeEntry, Reference
from pcs.schedules.service import Shelf
from pcs.tariff.changes import Changes, changes_between
from pcs.tariff.code import Code, InvalidCodeError
from pcs.tariff.revision import Revision, ScheduleName
from pcs.tariff.schedule import Node, Schedule
from pcs.tariff.starter.pack import read_pack
from pcs.tariff.starter.schedules import starter_schedule

_MOST_FOUND = 60
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Hit:
    """A place that a search found. `path` are the words from the heading down."""

    code: Code
    path: str
    declarable: bool


class Explorer:
    """One data folder, looked at. CPU and disk: call it in a thread."""

    def __init__(self, data_dir: Path) -> None:
        self._shelf = Shelf(data_dir)
        self._reference = Reference(data_dir)
        self._starter = lru_cache(maxsize=2)(lambda name: starter_schedule(name, read_pack(goods=False)))
        self._texts = lru_cache(maxsize=4)(_texts)
        self._compared = lru_cache(maxsize=8)(self._compare)

    def revisions(self, name: ScheduleName) -> list[StoredRevision]:
        """Every stored revision, the one stored last first."""
        return self._shelf.revisions(name)[::-1]

    def current_key(self, name: ScheduleName) -> str | None:
        """The key of the revision that answers, None where the starter schedule does."""
        return self._shelf.pointer(name)

    def schedule(self, name: ScheduleName, key: str | None = None) -> Schedule:
        """A revision: the one that answers, or a stored one. Raises NotFoundError."""
        if key is None:
            return self._shelf.current(name) or self._starter(name)
        try:
            return self._shelf.open(name, key)
        except UnknownRevisionError as error:
            raise NotFoundError(str(error)) from error

    def chapters(self, name: ScheduleName, key: str | None = None) -> tuple[Revision, list[Node]]:
        """A revision and the top of its tree."""
        schedule = self.schedule(name, key)
        return schedule.revision, [node for node in schedule.nodes if node.parent is None and node.code]

    def look_up(self, name: ScheduleName, code: Code, key: str | None = None) -> CodeEntry:
        """What a revision says of a code. Raises NotFoundError."""
        return self._reference.look_up(name, code, edition=key)

    def search(self, name: ScheduleName, words: str, key: str | None = None) -> list[Hit]:
        """Places whose words, with those above them, hold every word typed; or that begin with the code typed."""
        schedule = self.schedule(name, key)
        try:
            digits = Code.parse(words)
        except InvalidCodeError:
            wanted = [word.lower() for word in _WORD.findall(words)]
            found = (
                [place for place, text in self._texts(schedule) if all(word in text for word in wanted)]
                if wanted
                else []
            )
        else:
            found = [node.index for node in schedule.nodes if node.code and node.code.startswith(digits)]
        nodes = [schedule.nodes[index] for index in found[:_MOST_FOUND]]
        return [Hit(node.code, schedule.description(node), node.declarable) for node in nodes if node.code]

    def pair(self, name: ScheduleName, before: str, after: str) -> tuple[str, str]:
        """The two revisions to compare: those named; for an empty name the one stored last, or before it, if any."""
        last, previous, *_ = [*(stored.key for stored in self.revisions(name)), "", ""]
        return before or previous, after or last

    def changes(self, name: ScheduleName, before: str, after: str) -> Changes | None:
        """What changed from one stored revision to another; None where one has no name. Raises NotFoundError."""
        return self._compared(name, before, after) if before and after else None

    def _compare(self, name: ScheduleName, before: str, after: str) -> Changes:
        return changes_between(self.schedule(name, before), self.schedule(name, after))


def _texts(schedule: Schedule) -> list[tuple[int, str]]:
    """The words of each heading and of what lies below, with the words above them, in lower case."""
    return [
        (node.index, schedule.description(node).lower()) for node in schedule.nodes if node.code and len(node.code) >= 4
    ]
