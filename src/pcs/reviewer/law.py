"""The law as an assessment, or an assistant, sees it: one revision, its notes and the rulings. The trap: a search of
its own, which finds what no other does; the engine's ranking says where goods may be, here as everywhere."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from pcs.engine.retrieval.places import PlaceIndex, Ranked
from pcs.reviewer.deciding import Deciding, deciding, readable_for
from pcs.reviewer.rulings import Rulings, RulingSearch, Without
from pcs.tariff.notes import Note, NoteFamily, Notes
from pcs.tariff.revision import ScheduleName
from pcs.tariff.ruling import Ruling, ruling_source
from pcs.tariff.schedule import Node, Schedule


@dataclass(frozen=True)
class Law:
    """One revision with its notes and the rulings. Functions block; call them in a thread.

    `ranked` is the engine's ranking; where there is none, places are found by their words alone.
    """

    schedule: Schedule
    notes: Notes | None
    rulings: Rulings
    ranked: Ranked | None = None

    @property
    def name(self) -> ScheduleName:
        """Which schedule it is."""
        return self.schedule.revision.schedule

    @cached_property
    def has_rulings(self) -> bool:
        """Whether there are any rulings on this schedule to be found."""
        source = ruling_source(self.name)
        return source is not None and bool(self.rulings.search(source=source, limit=1))

    @cached_property
    def _places(self) -> PlaceIndex:
        return PlaceIndex(self.schedule)

    def ranked_by(self, ranked: Ranked) -> Law:
        """The same with the engine's ranking to search by."""
        return self._with(dataclasses.replace(self, ranked=ranked))

    def without(self, references: Iterable[str]) -> Law:
        """The same without these rulings and any that cites them: how a labelled case is asked about."""
        return self._with(dataclasses.replace(self, rulings=Without(self.rulings, frozenset(references))))

    def _with(self, other: Law) -> Law:
        """Another of the same schedule: what was read of it once is not read anew."""
        other.__dict__.update(_places=self._places)
        return other

    def search(self, text: str, *, most: int = 12) -> list[Node]:
        """The places where goods of a text may be: the engine's, likeliest first, then those whose words fit."""
        return self._places.search(text, self.ranked, most=most)

    def headings_for(self, text: str) -> list[str]:
        """The headings where goods of a text may be, likeliest first."""
        return list(dict.fromkeys(str(node.code)[:4] for node in self.search(text)))

    def notes_on(self, code: str) -> tuple[Note, ...]:
        """The notes that speak of goods of a code; the rules that speak of all goods are none of them."""
        return self.notes.concerning(code) if self.notes else ()

    def deciding(self, *nodes: Node, room: int | None = None) -> Deciding:
        """The notes that decide among the lines below some nodes; `room` for those that name none of them."""
        coded = [node for node in nodes if node.code]
        spoken = dict.fromkeys(note for node in coded for note in self.notes_on(str(node.code)))
        return deciding(list(spoken), coded, self.schedule, room=room)

    def note(self, reference: str) -> Note | None:
        """A note by its reference, whole; an explanatory one from its first sentence, and none where it has none."""
        wanted = " ".join(reference.split()).casefold()
        notes = self.notes.notes if self.notes else ()
        found = next((note for note in notes if note.reference.casefold() == wanted), None)
        return readable_for(found, found.targets) if found and found.family is NoteFamily.EXPLANATORY else found

    def rulings_on(self, text: str, *, code: str = "", limit: int = 10) -> list[Ruling]:
        """Rulings on a text and a code, the best first; none revoked."""
        return RulingSearch(self.rulings, ruling_source(self.name), self.headings_for).find(
            text, code=code, limit=limit
        )


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
