"""What lies below a provision, a line of text each: its code and words, further in the deeper it lies.

The trap: a level a turn; a tree is shown down to its declarable lines where they are few enough, and an implied level,
which has no words of its own, is passed through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile

from pcs.base.text import shortened
from pcs.tariff.schedule import Node, Schedule

MOST_LINES = 100
_NEAR = 4  # headings to either side of a heading
_SHORT = 48  # characters of a sibling's words
_GROUP = "-"


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A provision below another, how deep, how many codes are above it, and how many lines below it are folded."""

    node: Node
    depth: int
    level: int
    folded: int = 0

    def __str__(self) -> str:
        told = f" [{self.folded} lines below]" if self.folded else ""
        return f"{' ' * self.depth}{self.node.code or _GROUP} {self.node.text}{told}"


def tree(schedule: Schedule, node: Node, *, most: int = MOST_LINES) -> list[OutlineEntry]:
    """What lies below a node: whole where it has few lines enough, or else as deep as fits."""
    found = list(_below(schedule, node))
    deepest = max((step.level for step in found), default=0)
    if sum(step.node.declarable for step in found) > most:
        fitting = takewhile(lambda level: sum(step.level <= level for step in found) <= most, range(1, deepest))
        deepest = max(fitting, default=0)
    return [_folded(schedule, step) if step.level == deepest else step for step in found if step.level <= deepest]


def _folded(schedule: Schedule, step: OutlineEntry) -> OutlineEntry:
    below = sum(1 for _ in schedule.lines_below(step.node)) if step.node.code and step.node.children else 0
    return replace(step, folded=below)


def _below(schedule: Schedule, node: Node, depth: int = 0, level: int = 0) -> Iterator[OutlineEntry]:
    """All below a node. What stands in a group is on the group's level, for a group has no code to be opened by."""
    for child in schedule.children(node):
        passed = child.implied and not child.declarable
        if not passed:
            yield OutlineEntry(child, depth, level)
        deeper = 0 if passed else 1
        yield from _below(schedule, child, depth + deeper, level + (deeper if child.code else 0))


def siblings(schedule: Schedule, node: Node) -> list[Node]:
    """The provisions beside a node, groups opened; of a heading those nearest to it."""
    if node.parent is None or not node.code:
        return []
    beside = list(_coded(schedule, schedule.children(schedule.nodes[node.parent])))
    if len(node.code) > len("6109"):
        return [one for one in beside if one.index != node.index]
    place = next(at for at, one in enumerate(beside) if one.index == node.index)
    return beside[max(place - _NEAR, 0) : place] + beside[place + 1 : place + 1 + _NEAR]


def _coded(schedule: Schedule, nodes: tuple[Node, ...]) -> Iterator[Node]:
    for node in nodes:
        if node.code:
            yield node
        else:
            yield from _coded(schedule, schedule.children(node))


def in_short(node: Node) -> str:
    """A node by its code and its first words."""
    return f"{node.code or _GROUP} {shortened(node.text.rstrip(' :'), _SHORT)}"
