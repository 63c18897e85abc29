"""What changed between two revisions of a schedule. The trap: a number that is kept may get another meaning (US
3004.90.92.04 was fluconazole in 2025 and is oseltamivir in 2026), so lines are compared by the words of their whole
path, never by number alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from pcs.tariff.code import Code
from pcs.tariff.correlation import Correlation, correlates
from pcs.tariff.revision import Revision
from pcs.tariff.schedule import Node, Schedule


class ChangeKind(StrEnum):
    """What happened to a line. Moved and split lines are gone under their number; their words live on elsewhere."""

    ADDED = "added"
    REMOVED = "removed"
    MOVED = "moved"
    SPLIT = "split"
    REWORDED = "reworded"
    RERATED = "rerated"
    REMEASURED = "remeasured"


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to the line `code`: its words (or its rate, or its units) before and after, and where its words are
    now; those of a line that was removed are by the correlation of the editions."""

    kind: ChangeKind
    code: Code
    before: str
    after: str
    successors: tuple[Code, ...] = ()


@dataclass(frozen=True)
class Changes:
    """Every change of a declarable line outside chapters 98 and 99, in order of codes."""

    before: Revision
    after: Revision
    changes: tuple[Change, ...]

    def of_kind(self, *kinds: ChangeKind) -> tuple[Change, ...]:
        """The changes of some kinds."""
        return tuple(change for change in self.changes if change.kind in kinds)

    @property
    def added(self) -> tuple[Code, ...]:
        """The codes that were not there before."""
        return tuple(change.code for change in self.of_kind(ChangeKind.ADDED))

    @property
    def removed(self) -> tuple[Code, ...]:
        """The codes that are there no more, whether their words live on or not."""
        return tuple(change.code for change in self.of_kind(*GONE))

    @property
    def outdated(self) -> dict[Code, Change]:
        """The codes under which an earlier classification has to be looked at again: gone, or with other words."""
        return self.lines(*ASKING)

    def lines(self, *kinds: ChangeKind) -> dict[Code, Change]:
        """The lines to which changes of some kinds happened."""
        return {change.code: change for change in self.of_kind(*kinds)}

    def successor(self, code: str) -> Code | None:
        """The one line that has the words of a line that is gone; None where there is none or more than one."""
        found = (change.successors for change in self.of_kind(ChangeKind.MOVED) if change.code == code)
        return next((successors[0] for successors in found), None)


GONE = (ChangeKind.REMOVED, ChangeKind.MOVED, ChangeKind.SPLIT)
ASKING = (*GONE, ChangeKind.REWORDED)
"""After these an earlier classification has to be looked at again."""
TOLD = (ChangeKind.RERATED, ChangeKind.REMEASURED)
"""These are told: the goods stay where they are."""


def changes_between(before: Schedule, after: Schedule, correlation: Correlation | None = None) -> Changes:
    """What a user of the first revision has to know about the second; between editions of the Harmonized System a
    correlation tells where the goods of lines are whose words are nowhere."""
    told = correlation if correlation and correlates(before.revision, after.revision) else {}
    found = sorted(
        [*_gone(before, after, told), *_kept(before, after), *_new(before, after)], key=lambda change: change.code
    )
    return Changes(before.revision, after.revision, tuple(found))


def _lines(schedule: Schedule) -> dict[Code, Node]:
    return {line.code: line for line in schedule.lines if line.code}


def _new(before: Schedule, after: Schedule) -> Iterator[Change]:
    old = _lines(before)
    for code, line in _lines(after).items():
        if code not in old:
            yield Change(ChangeKind.ADDED, code, "", after.description(line))


def _gone(before: Schedule, after: Schedule, correlation: Correlation) -> Iterator[Change]:
    old, new = _lines(before), _lines(after)
    by_words = {after.description(node): node for node in after.nodes}
    for code, line in old.items():
        if code in new:
            continue
        words = before.description(line)
        heir = by_words.get(words)
        below = after.lines_below(heir) if heir else ()
        successors = tuple(node.code for node in below if node.code and node.code not in old)
        kind = (ChangeKind.REMOVED, ChangeKind.MOVED, ChangeKind.SPLIT)[min(len(successors), 2)]
        heirs = successors or tuple(_correlated(after, correlation.get(Code(code[:6]), ())))
        yield Change(kind, code, words, words if successors else "", heirs)


def _correlated(after: Schedule, subheadings: Iterable[Code]) -> Iterator[Code]:
    nodes = (node for each in subheadings if (node := after.get(each)))
    return (line.code for node in nodes for line in after.lines_below(node) if line.code)


def _kept(before: Schedule, after: Schedule) -> Iterator[Change]:
    old = _lines(before)
    for code, line in _lines(after).items():
        if code not in old:
            continue
        said, says = before.description(old[code]), after.description(line)
        if said != says:
            yield Change(ChangeKind.REWORDED, code, said, says)
        cost, costs = _rate(before, old[code]), _rate(after, line)
        if cost != costs:
            yield Change(ChangeKind.RERATED, code, cost, costs)
        if old[code].units != line.units:
            yield Change(ChangeKind.REMEASURED, code, ", ".join(old[code].units), ", ".join(line.units))


def _rate(schedule: Schedule, line: Node) -> str:
    duty = schedule.duty(line)
    return f"{duty.general} | {duty.special} | {duty.other}" if duty else ""
