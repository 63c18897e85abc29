"""What a model, or an assistant, may look at: one revision, its notes and the rulings, through four read-only tools.

The trap: a tool that shows more than the question needs; each answer is bounded, and says when it was cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from pcs.engine.retrieval.lexical import lexical_index
from pcs.engine.text import words
from pcs.tariff.notes import Note, Notes
from pcs.tariff.revision import ScheduleName
from pcs.tariff.ruling import Ruling, RulingSource, RulingStatus, ruling_source
from pcs.tariff.schedule import Node, Schedule

_LONGEST_TEXT = 6_000  # characters of a ruling's letter
_MOST_WORDS = 8


class Rulings(Protocol):
    """A corpus of rulings, as RulingCorpus is one."""

    def get(self, reference: str) -> Ruling | None:
        """A ruling by its reference, however it is written."""
        ...  # pragma: no cover

    def search(
        self, words: str = "", *, code: str = "", source: RulingSource | None = None, limit: int = 20
    ) -> list[Ruling]:
        """Rulings whose subject has all the words and that cite a code beginning so, newest first."""
        ...  # pragma: no cover


@dataclass(frozen=True, slots=True)
class Without:
    """Rulings without some of them and any that cites those."""

    rulings: Rulings
    hidden: frozenset[str]

    def get(self, reference: str) -> Ruling | None:
        """See Rulings."""
        found = self.rulings.get(reference)
        return found if found and self._shows(found) else None

    def search(
        self, words: str = "", *, code: str = "", source: RulingSource | None = None, limit: int = 20
    ) -> list[Ruling]:
        """See Rulings."""
        found = self.rulings.search(words, code=code, source=source, limit=limit + len(self.hidden))
        return [ruling for ruling in found if self._shows(ruling)][:limit]

    def _shows(self, ruling: Ruling) -> bool:
        links = ruling.links
        return not self.hidden & {ruling.reference, *links.related, *links.revokes, *links.modifies}


@dataclass(frozen=True)
class Law:
    """One revision with its notes and the rulings. Functions block; call them in a thread."""

    schedule: Schedule
    notes: Notes | None
    rulings: Rulings

    @property
    def name(self) -> ScheduleName:
        """Which schedule it is."""
        return self.schedule.revision.schedule

    @cached_property
    def _places(self) -> tuple[Node, ...]:
        """What a search finds: headings and all below, but for chapters 98 and 99."""
        return tuple(
            node
            for node in self.schedule.nodes
            if node.code and len(node.code) >= 4 and node.code[:2] not in {"98", "99"}
        )

    @cached_property
    def _search(self) -> Callable[[str, int], list[Node]]:
        index = lexical_index([words(self.schedule.description(node)) for node in self._places])

        def search(text: str, most: int) -> list[Node]:
            scores = index.scores(words(text))
            best = np.argsort(-scores, kind="stable")[:most]
            return [self._places[place] for place in best if scores[place] > 0]

        return search

    def without(self, references: Iterable[str]) -> Law:
        """The same without these rulings and any that cites them: how a case that is a ruling is asked about."""
        other = Law(self.schedule, self.notes, Without(self.rulings, frozenset(references)))
        other.__dict__["_search"] = self._search  # made once for all cases
        return other

    def search(self, text: str, *, most: int = 12) -> list[Node]:
        """The places whose words, with those above them, fit a text best (BM25)."""
        return self._search(text, most)

    def notes_on(self, code: str) -> tuple[Note, ...]:
        """The notes that speak of goods of a code."""
        return self.notes.concerning(code) if self.notes else ()

    def rulings_on(self, text: str, *, code: str = "", limit: int = 10) -> list[Ruling]:
        """Rulings on a text and a code: those whose subject has all the words, or else most of them; none revoked."""
        source = ruling_source(self.name)
        wanted = text.encode("utf-8", "replace").decode().split()[:_MOST_WORDS]
        found = self.rulings.search(" ".join(wanted), code=code, source=source, limit=limit)
        if not found and len(wanted) > 1:
            hits = [self.rulings.search(word, code=code, source=source, limit=50) for word in wanted]
            found = _most_often(hits)
        return [ruling for ruling in found if ruling.status is not RulingStatus.REVOKED][:limit]


def _most_often(hits: Iterable[Sequence[Ruling]]) -> list[Ruling]:
    """The rulings that most of the searches found, best first."""
    known = {ruling.reference: ruling for found in hits for ruling in found}
    times = Counter(ruling.reference for found in hits for ruling in found)
    return [known[reference] for reference, _ in sorted(times.items(), key=lambda item: (-item[1], item[0]))]


class Sources(Protocol):
    """Where the law comes from, as Library is one."""

    @property
    def rulings(self) -> Rulings:
        """The corpus."""
        ...  # pragma: no cover

    def state(self, name: ScheduleName) -> object:
        """What changes whenever the revision or the notes do."""
        ...  # pragma: no cover

    def schedule(self, name: ScheduleName) -> Schedule:
        """The revision that answers."""
        ...  # pragma: no cover

    def notes(self, name: ScheduleName) -> Notes | None:
        """What binds and explains under a schedule."""
        ...  # pragma: no cover


class LawOf:
    """The law of each schedule, made anew when its state changes. Between threads at worst made twice."""

    def __init__(self, library: Sources) -> None:
        self._library = library
        self._made: dict[ScheduleName, tuple[object, Law]] = {}

    def __call__(self, name: ScheduleName) -> Law:
        """The law that answers now."""
        library, made = self._library, self._made.get(name)
        state = library.state(name)
        if made is None or made[0] != state:
            law = Law(library.schedule(name), library.notes(name), library.rulings)
            made = self._made[name] = (state, law)
        return made[1]


def code_shown(law: Law, node: Node, *, longest_note: int | None = None) -> dict[str, Any]:
    """A node with its path, what lies below it, its siblings, rate, units and notes, as JSON values."""
    schedule, duty = law.schedule, law.schedule.duty(node)
    siblings = schedule.children(schedule.nodes[node.parent]) if node.parent is not None else ()
    notes = law.notes_on(node.code or "") if node.code else ()
    return {
        "schedule": law.name.value,
        "schedule_revision": schedule.revision.name,
        "code": node.code or "",
        "text": node.text,
        "description": schedule.description(node),
        "declarable": node.declarable,
        "implied": node.implied,
        "path": [{"code": step.code, "text": step.text} for step in schedule.path(node)],
        "children": [_branch(schedule, child) for child in schedule.children(node)],
        "siblings": [
            {"code": one.code, "text": one.text, "declarable": one.declarable}
            for one in siblings
            if one.index != node.index
        ],
        "duty": {"general": duty.general, "special": duty.special, "other": duty.other} if duty else None,
        "units": list(node.units),
        "notes": [note_shown(note, longest_note) for note in notes],
    }


def _branch(schedule: Schedule, node: Node) -> dict[str, Any]:
    """A node below; a group has no code of its own, so it carries what lies below it."""
    below = [] if node.code else [_branch(schedule, child) for child in schedule.children(node)]
    return {"code": node.code, "text": node.text, "declarable": node.declarable, "children": below}


def note_shown(note: Note, longest: int | None = None) -> dict[str, Any]:
    """A note, its words cut where they are longer than asked for."""
    return {
        "reference": note.reference,
        "family": note.family.value,
        "kind": note.kind.value,
        "text": note.text if longest is None else cut(note.text, longest),
        "codes": list(note.codes),
    }


def ruling_shown(ruling: Ruling, *, text: bool = False) -> dict[str, Any]:
    """A ruling, with its letter where that is asked for."""
    shown = {
        "id": ruling.reference,
        "source": ruling.source.value,
        "date": ruling.date.isoformat() if ruling.date else None,
        "subject": ruling.subject,
        "codes": list(ruling.codes),
        "status": ruling.status.value,
        "url": ruling.url,
    }
    if text:
        shown["text"] = cut(ruling.text, _LONGEST_TEXT)
        shown["grounds"] = cut(ruling.grounds, _LONGEST_TEXT)
        shown["valid_to"] = ruling.valid_to.isoformat() if ruling.valid_to else None
    return shown


def cut(text: str, most: int) -> str:
    """A text of at most so many characters, and a word that it was longer.

    >>> cut("abcdef", 3), cut("abc", 3)
    ('abc [cut]', 'abc')
    """
    return text if len(text) <= most else f"{text[:most].rstrip()} [cut]"
