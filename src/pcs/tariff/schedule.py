"""One revision of a schedule as a tree. The traps: rows without a code group others and carry words that decide;
indents jump by more than one; an 8-digit line may exist only through its 10-digit row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from pcs.tariff.code import Code
from pcs.tariff.revision import Revision

PATH_SEPARATOR = " > "
_RESIDUAL_OPENINGS = ("other", "andere", "autres", "not elsewhere", "nesoi")


@dataclass(frozen=True, slots=True)
class Duty:
    """Rates of duty as published, in the publisher's words. An 8-digit line's rate reaches its suffixes."""

    general: str = ""
    special: str = ""
    other: str = ""


@dataclass(frozen=True, slots=True)
class Footnote:
    """A footnote as published, and the columns of the row that it stands at: desc, general, special, other, units."""

    columns: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One published row before the tree is built: `depth` is the publisher's indent, `code` None for a group.

    `implied` marks a code that the publication gives only through a deeper row (4201 where only 42010000 is printed).
    """

    code: Code | None
    depth: int
    text: str
    declarable: bool = False
    duty: Duty | None = None
    units: tuple[str, ...] = ()
    implied: bool = False
    footnotes: tuple[Footnote, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """A chapter, heading, subheading, tariff line or a group between them, in its place in the tree.

    `index` is its place in legal order, `parent` its parent's index (None at the top), `children` theirs. An `implied`
    node has no row of its own in the publication: it carries the words of the row that stands for it.
    """

    index: int
    code: Code | None
    text: str
    parent: int | None
    children: tuple[int, ...]
    declarable: bool
    duty: Duty | None = None
    units: tuple[str, ...] = ()
    implied: bool = False
    footnotes: tuple[Footnote, ...] = ()

    @property
    def is_residual(self) -> bool:
        """Whether it takes what its siblings leave ("Other", "Andere", "Autres")."""
        return self.text.lower().startswith(_RESIDUAL_OPENINGS)


@dataclass(frozen=True)
class Schedule:
    """One revision as a tree in legal order."""

    revision: Revision
    nodes: tuple[Node, ...] = field(repr=False)

    @cached_property
    def _by_code(self) -> dict[str, int]:
        return {node.code: node.index for node in reversed(self.nodes) if node.code is not None}

    @cached_property
    def lines(self) -> tuple[Node, ...]:
        """Every declarable line outside chapters 98 and 99, which are legal provisions and never a classification."""
        return tuple(node for node in self.nodes if node.declarable and node.code and node.code[:2] not in {"98", "99"})

    def __contains__(self, code: object) -> bool:
        return code in self._by_code

    def get(self, code: str) -> Node | None:
        """The node that carries exactly this code."""
        index = self._by_code.get(code)
        return None if index is None else self.nodes[index]

    def children(self, node: Node) -> tuple[Node, ...]:
        """The nodes one level below, in legal order."""
        return tuple(self.nodes[index] for index in node.children)

    def lines_below(self, node: Node) -> Iterator[Node]:
        """The declarable lines at or below a node, in legal order."""
        if node.declarable:
            yield node
        for child in self.children(node):
            yield from self.lines_below(child)

    def path(self, node: Node) -> tuple[Node, ...]:
        """From the topmost ancestor down to the node itself, groups included."""
        path = [node]
        while (parent := path[-1].parent) is not None:
            path.append(self.nodes[parent])
        return tuple(reversed(path))

    def description(self, node: Node) -> str:
        """The words from the heading down, so that "Other" never stands alone; twice running is once."""
        return described((step.code, step.text) for step in self.path(node))

    def duty(self, node: Node) -> Duty | None:
        """The rate that applies to a node: its own, or the nearest above it."""
        return next((step.duty for step in reversed(self.path(node)) if step.duty), None)


def build(revision: Revision, rows: Iterable[PublishedRow]) -> Schedule:
    """The tree that rows in legal order make: a row's parent is the nearest earlier one with a smaller depth."""
    kept = list(rows)
    parents = parents_of(kept)
    children: list[list[int]] = [[] for _ in kept]
    for index, parent in enumerate(parents):
        if parent is not None:
            children[parent].append(index)
    nodes = tuple(
        Node(
            index=index,
            code=row.code,
            text=row.text,
            parent=parents[index],
            children=tuple(children[index]),
            declarable=row.declarable,
            duty=row.duty,
            units=row.units,
            implied=row.implied,
            footnotes=row.footnotes,
        )
        for index, row in enumerate(kept)
    )
    return Schedule(revision=revision, nodes=nodes)


def described(path: Iterable[tuple[str | None, str]]) -> str:
    """The words of a path, each step a code (None for a group) and its text, from the heading down.

    >>> described([("95", "Toys"), ("9503", "Tricycles:"), (None, "Other:"), ("950300", "Other")])
    'Tricycles > Other'
    """
    steps = [(code, text) for code, text in path if code is None or len(code) > 2]
    heading = next((place for place, (code, _) in enumerate(steps) if code and len(code) == 4), 0)
    texts = [text.rstrip(" :") for _, text in steps[heading:]]
    return PATH_SEPARATOR.join(text for place, text in enumerate(texts) if texts[place - 1 : place] != [text])


def with_titles(schedule: Schedule, titles: Mapping[Code, str]) -> Schedule:
    """The same with the printed titles of chapters that the publication itself has no row for."""
    nodes = (
        replace(node, text=titles[node.code]) if node.implied and node.code and node.code in titles else node
        for node in schedule.nodes
    )
    return Schedule(schedule.revision, tuple(nodes)) if titles else schedule


def parents_of(rows: Sequence[PublishedRow]) -> list[int | None]:
    """For each row in legal order the index of its parent: the nearest earlier row with a smaller depth."""
    parents: list[int | None] = []
    above: list[int] = []
    for index, row in enumerate(rows):
        while above and rows[above[-1]].depth >= row.depth:
            above.pop()
        parents.append(above[-1] if above else None)
        above.append(index)
    return parents
