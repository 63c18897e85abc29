"""What a revision says of a code, of itself, and of words that are looked for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pcs.base.errors import NotFoundError
from pcs.schedules.model import StoredRevision
from pcs.tariff.code import Code, InvalidCodeError
from pcs.tariff.duties import Duties, duties_of
from pcs.tariff.notes import Note, Notes
from pcs.tariff.provisions import Entry
from pcs.tariff.revision import Revision
from pcs.tariff.schedule import Duty, Footnote, Node, Schedule

_MOST_FOUND = 60
_WORD = re.compile(r"\w+")


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
    `description` from the heading, and is a chapter's own words. `footnotes` are its own and those of what stands above
    it, as published."""

    revision: Revision
    node: Node
    path: tuple[Node, ...]
    description: str
    duty: Duty | None
    duties: Duties
    footnotes: tuple[Footnote, ...]
    units: tuple[str, ...]
    branches: tuple[Branch, ...]
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """A place that a search found. `path` are the words from the heading down."""

    code: Code
    path: str
    declarable: bool


@dataclass(frozen=True, slots=True)
class Places:
    """The headings of a revision and all below, to be searched by words: `texts` are lower case, with those above."""

    schedule: Schedule = field(repr=False)
    texts: tuple[tuple[int, str], ...] = field(repr=False)

    def search(self, words: str) -> list[Hit]:
        """Places whose words hold every word typed; or that begin with the code typed. At most 60, in legal order."""
        nodes = [self.schedule.nodes[index] for index in self._found(words)[:_MOST_FOUND]]
        return [Hit(node.code, self.schedule.description(node), node.declarable) for node in nodes if node.code]

    def _found(self, words: str) -> list[int]:
        try:
            digits = Code.parse(words)
        except InvalidCodeError:
            wanted = [word.lower() for word in _WORD.findall(words)]
            return [place for place, text in self.texts if wanted and all(word in text for word in wanted)]
        return [node.index for node in self.schedule.nodes if node.code and node.code.startswith(digits)]


def places_of(schedule: Schedule) -> Places:
    """The places of a revision."""
    coded = (node for node in schedule.nodes if node.code and len(node.code) >= 4)
    return Places(schedule, tuple((node.index, schedule.description(node).lower()) for node in coded))


def entry_of(schedule: Schedule, code: Code, notes: Notes | None, customs: Entry) -> CodeEntry:
    """What a revision says of a code, and of its duties for goods entered so. Raises NotFoundError."""
    node = schedule.get(code)
    if node is None:
        msg = f"{schedule.revision.schedule} {schedule.revision.name} has no code {code.dotted}."
        raise NotFoundError(msg)
    return CodeEntry(
        revision=schedule.revision,
        node=node,
        path=schedule.path(node),
        description=schedule.description(node) or node.text,
        duty=schedule.duty(node),
        duties=duties_of(schedule, node, customs),
        footnotes=tuple(dict.fromkeys(each for step in schedule.path(node) for each in step.footnotes)),
        units=node.units,
        branches=_branches(schedule, node),
        notes=notes.concerning(code) if notes else (),
    )


def _branches(schedule: Schedule, node: Node) -> tuple[Branch, ...]:
    return tuple(
        Branch(child.code, child.text, child.declarable, () if child.code else _branches(schedule, child))
        for child in schedule.children(node)
    )
