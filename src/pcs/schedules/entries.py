"""What a revision says of a code, of itself, and of words that are looked for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from pcs.base.errors import NotFoundError
from pcs.schedules.model import StoredRevision
from pcs.schedules.wording import Wording
from pcs.tariff.code import Code, InvalidCodeError
from pcs.tariff.duties import Duties, duties_of
from pcs.tariff.notes import Note, Notes
from pcs.tariff.provisions import Entry
from pcs.tariff.revision import Revision
from pcs.tariff.schedule import Duty, Footnote, Node, Schedule, described

MOST_FOUND = 60
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class ScheduleState:
    """A schedule: the revision that answers, how many lines it has, what is stored beside it, and the languages that
    its words are loaded in.

    A `damaged` one says what is wrong and how it is mended; its revision is then one without a name.
    """

    revision: Revision
    lines: int
    stored: tuple[StoredRevision, ...]
    languages: tuple[str, ...]
    damaged: str | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """A node below a code, its words in `language`. A group has no code of its own, so it carries its branches."""

    code: Code | None
    text: str
    declarable: bool
    branches: tuple[Branch, ...]
    language: str


@dataclass(frozen=True, slots=True)
class CodeEntry:
    """What one revision says of a code. `path` runs from the chapter to the code itself, groups included;
    `description` from the heading, and is a chapter's own words; both are in `language`. `footnotes` are its own and
    those of what stands above it, as published."""

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
    language: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A place that a search found. `path` are the words from the heading down, in `language`."""

    code: Code
    path: str
    declarable: bool
    language: str


@dataclass(frozen=True, slots=True)
class Places:
    """The headings of a revision and all below, to be searched by words: `texts` are lower case, with those above."""

    schedule: Schedule = field(repr=False)
    texts: tuple[tuple[int, str], ...] = field(repr=False)

    def search(self, words: str, others: Iterable[Wording], wording: Wording | None) -> list[Hit]:
        """Places whose words hold every word typed, in this revision's language or one of the `others`; or that begin
        with the code typed. At most 60, in legal order, in the words of `wording` where it has them."""
        return self._hits((self.schedule.nodes[index] for index in self._found(words, others)[:MOST_FOUND]), wording)

    def at(self, codes: Iterable[Code], wording: Wording | None) -> list[Hit]:
        """The places of those codes that the revision has, in their order."""
        return self._hits((node for code in codes if (node := self.schedule.get(code))), wording)

    def _hits(self, nodes: Iterable[Node], wording: Wording | None) -> list[Hit]:
        return [self._hit(node, node.code, wording) for node in nodes if node.code]

    def _found(self, words: str, others: Iterable[Wording]) -> list[int]:
        try:
            digits = Code.parse(words)
        except InvalidCodeError:
            wanted = [word.lower() for word in _WORD.findall(words)]
            found = {place for place, text in self.texts if wanted and all(word in text for word in wanted)}
            codes = (code for each in others for code in each.search(wanted))
            return sorted(found | {node.index for code in codes if (node := self.schedule.get(code))})
        return [node.index for node in self.schedule.nodes if node.code and node.code.startswith(digits)]

    def _hit(self, node: Node, code: Code, wording: Wording | None) -> Hit:
        told = wording.description(code) if wording else None
        language = wording.language if wording and told else self.schedule.revision.language
        return Hit(code, told or self.schedule.description(node), node.declarable, language)


def places_of(schedule: Schedule) -> Places:
    """The places of a revision."""
    coded = (node for node in schedule.nodes if node.code and len(node.code) >= 4)
    return Places(schedule, tuple((node.index, schedule.description(node).lower()) for node in coded))


def entry_of(
    schedule: Schedule, code: Code, notes: Notes | None, customs: Entry, wording: Wording | None = None
) -> CodeEntry:
    """What a revision says of a code, and of its duties for goods entered so; its words are those of `wording` where
    that has all of its path. Raises NotFoundError."""
    node = schedule.get(code)
    if node is None:
        msg = f"{schedule.revision.schedule} {schedule.revision.name} has no code {code.dotted}."
        raise NotFoundError(msg)
    path, language = _path(schedule, node, wording)
    return CodeEntry(
        revision=schedule.revision,
        node=path[-1],
        path=path,
        description=described((step.code, step.text) for step in path) or path[-1].text,
        duty=schedule.duty(node),
        duties=duties_of(schedule, node, customs),
        footnotes=tuple(dict.fromkeys(each for step in path for each in step.footnotes)),
        units=node.units,
        branches=branches_of(schedule, schedule.children(node), wording),
        notes=notes.concerning(code) if notes else (),
        language=language,
    )


def branches_of(schedule: Schedule, nodes: Iterable[Node], wording: Wording | None) -> tuple[Branch, ...]:
    """Nodes as branches, each in the words of `wording` where that has it."""
    return tuple(_branch(schedule, node, wording) for node in nodes)


def _branch(schedule: Schedule, node: Node, wording: Wording | None) -> Branch:
    told = wording.text(schedule, node) if wording else None
    language = wording.language if wording and told is not None else schedule.revision.language
    below = () if node.code else branches_of(schedule, schedule.children(node), wording)
    return Branch(node.code, node.text if told is None else told, node.declarable, below, language)


def _path(schedule: Schedule, node: Node, wording: Wording | None) -> tuple[tuple[Node, ...], str]:
    path = schedule.path(node)
    said = wording.path(node.code or "") if wording else ()
    if wording is None or [code for code, _ in said] != [step.code for step in path]:
        return path, schedule.revision.language
    return tuple(replace(step, text=text) for step, (_, text) in zip(path, said, strict=True)), wording.language
