"""Lines that earlier revisions had and the current one has no more, and where their goods are now.

The trap: a line that went long ago, looked for in the last revision alone; every earlier revision is compared with the
current one, and the latest that had the line tells of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pcs.tariff.changes import GONE, ChangeKind, changes_between
from pcs.tariff.code import Code
from pcs.tariff.correlation import Correlation
from pcs.tariff.schedule import Duty, Schedule


@dataclass(frozen=True, slots=True)
class FormerLine:
    """What a line said and cost in the last revision (`edition`) that had it; `successors` have its words now, or
    its goods by the correlation of two editions of the Harmonized System (`correlated`)."""

    code: Code
    edition: str
    description: str
    duty: Duty
    successors: tuple[Code, ...]
    correlated: bool = False


def former_lines(
    current: Schedule, earlier: Iterable[Schedule], correlation: Correlation | None = None
) -> dict[Code, FormerLine]:
    """The lines that are gone, by their codes. Revisions that are not before the current one tell nothing."""
    found: dict[Code, FormerLine] = {}
    told: dict[Code, tuple[int, ...]] = {}  # by which revision; each is looked at and let go, since one takes 28 MB
    for schedule in earlier:
        order = schedule.revision.order
        if order < current.revision.order:
            newer = {
                code: line
                for code, line in _gone(schedule, current, correlation).items()
                if told.get(code, ()) <= order
            }
            found |= newer
            told |= dict.fromkeys(newer, order)
    return found


def _gone(before: Schedule, after: Schedule, correlation: Correlation | None) -> dict[Code, FormerLine]:
    changes = changes_between(before, after, correlation).of_kind(*GONE)
    return {
        change.code: FormerLine(
            change.code,
            before.revision.name,
            change.before,
            _duty(before, change.code),
            change.successors,
            correlated=change.kind is ChangeKind.REMOVED,
        )
        for change in changes
    }


def _duty(schedule: Schedule, code: Code) -> Duty:
    line = schedule.get(code)
    return (schedule.duty(line) if line else None) or Duty()
