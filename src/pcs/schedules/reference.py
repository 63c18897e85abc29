"""Looking things up in the law that answers now: codes, their path, rate and notes. The trap: what is shown must be of
the revision that it names, so a look-up takes one revision and reads all of it from there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pcs.base.errors import DamagedError, NotFoundError
from pcs.schedules.model import StoredRevision, UnknownRevisionError
from pcs.schedules.notebook import Notebook
from pcs.schedules.service import Shelf
from pcs.tariff.code import Code
from pcs.tariff.notes import Note, Notes
from pcs.tariff.revision import Revision, ScheduleName
from pcs.tariff.schedule import Duty, Node, Schedule
from pcs.tariff.starter.pack import read_pack
from pcs.tariff.starter.schedules import starter_schedule


@dataclass(frozen=True, slots=True)
class ScheduleState:
    """A schedule: the revision that answers, how many lines it has, and what is stored beside it.

    A `damaged` one says what is wrong and how it is mended; its revision is then one without a name.
    """

    revision: Revision
    lines: int
    stored: tuple[StoredRevision, ...]
    damaged: str | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """A node below a code. A group has no code of its own, so it carries its branches."""

    code: Code | None
    text: str
    declarable: bool
    branches: tuple[Branch, ...]


@dataclass(frozen=True, slots=True)
class CodeEntry:
    """What one revision says of a code. `path` runs from the chapter to the code itself, groups included;
    `description` from the heading, and is a chapter's own words."""

    revision: Revision
    node: Node
    path: tuple[Node, ...]
    description: str
    duty: Duty | None
    units: tuple[str, ...]
    branches: tuple[Branch, ...]
    notes: tuple[Note, ...]


class Reference:
    """Answers from a data folder, or from the starter schedule where nothing was promoted. Safe between threads."""

    def __init__(self, data_dir: Path, starter: Callable[[ScheduleName], Schedule] | None = None) -> None:
        self._shelf = Shelf(data_dir)
        self._notebook = Notebook(data_dir)
        self._starter = starter or _starter

    def states(self) -> tuple[ScheduleState, ...]:
        """Every schedule, with the revision that answers."""
        return tuple(self._state(name) for name in ScheduleName)

    def schedule(self, name: ScheduleName) -> Schedule:
        """The revision that answers."""
        return self._schedule(name, None)

    def notes(self, name: ScheduleName) -> Notes | None:
        """What binds and explains under a schedule; None where no notes were imported."""
        return self._notebook.notes(name)

    def state(self, name: ScheduleName) -> tuple[str | None, str]:
        """What changes whenever the revision or the notes do."""
        return self._shelf.pointer(name), self._notebook.pointer(name)

    def look_up(self, name: ScheduleName, code: Code, *, edition: str | None = None) -> CodeEntry:
        """What a revision says of a code: the one that answers, or a stored one. Raises NotFoundError."""
        schedule = self._schedule(name, edition)
        node = schedule.get(code)
        if node is None:
            msg = f"{name} {schedule.revision.name} has no code {code.dotted}."
            raise NotFoundError(msg)
        notes = self._notebook.notes(name)
        return CodeEntry(
            revision=schedule.revision,
            node=node,
            path=schedule.path(node),
            description=schedule.description(node) or node.text,
            duty=schedule.duty(node),
            units=node.units,
            branches=_branches(schedule, node),
            notes=notes.concerning(code) if notes else (),
        )

    def _state(self, name: ScheduleName) -> ScheduleState:
        stored = tuple(self._shelf.revisions(name))
        try:
            schedule = self._schedule(name, None)
        except DamagedError as error:
            return ScheduleState(Revision(name, "", ""), 0, stored, damaged=str(error))
        return ScheduleState(schedule.revision, len(schedule.lines), stored)

    def _schedule(self, name: ScheduleName, edition: str | None) -> Schedule:
        if edition is None:
            return self._shelf.current(name) or self._starter(name)
        try:
            return self._shelf.open(name, edition)
        except UnknownRevisionError as error:
            raise NotFoundError(str(error)) from error


def _branches(schedule: Schedule, node: Node) -> tuple[Branch, ...]:
    return tuple(
        Branch(child.code, child.text, child.declarable, () if child.code else _branches(schedule, child))
        for child in schedule.children(node)
    )


@cache
def _starter(name: ScheduleName) -> Schedule:
    return starter_schedule(name, read_pack(goods=False))
