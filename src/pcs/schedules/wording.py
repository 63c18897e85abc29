"""The words of one revision in one language: what its publication in that language says, code by code.

The trap: a tree of nodes a language; two dozen of them would take hundreds of megabytes, so these are texts, the place
of each row's parent, and the place of each code."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self

from pcs.tariff.code import Code
from pcs.tariff.packing import unpack_words
from pcs.tariff.revision import Revision
from pcs.tariff.schedule import Node, Schedule, described

_TOP = -1

Step = tuple[str | None, str]
"""A step of a path: its code, None for a group, and its words."""


@dataclass(frozen=True, slots=True)
class Wording:
    """Rows in legal order: `texts`, the place of each one's parent (-1 at the top), and the `places` of codes."""

    language: str
    texts: tuple[str, ...] = field(repr=False)
    parents: Sequence[int] = field(repr=False)
    places: dict[str, int] = field(repr=False)

    @classmethod
    def read(cls, packed: bytes, revision: Revision) -> Self:
        """The words of a stored revision. Raises DamagedScheduleError."""
        texts, parents, places = [], array("i"), dict[str, int]()
        above: list[int] = []  # the row that was last read at each depth
        for place, (code, depth, text) in enumerate(unpack_words(packed, revision)):
            texts.append(sys.intern(text))
            parents.append(above[depth - 1] if depth else _TOP)
            above[depth:] = [place]
            if code is not None:
                places.setdefault(code, place)
        return cls(revision.language, tuple(texts), parents, places)

    def path(self, code: str) -> tuple[Step, ...]:
        """The steps from the top down to a code; none where this publication does not have the code."""
        place, codes = self.places.get(code, _TOP), {place: code for code, place in self._above(code)}
        steps = []
        while place != _TOP:
            steps.append((codes.get(place), self.texts[place]))
            place = self.parents[place]
        return tuple(reversed(steps))

    def description(self, code: str) -> str | None:
        """The words from the heading down, as Schedule.description gives them; None where the code is not there."""
        steps = self.path(code)
        return (described(steps) or steps[-1][1]) if steps else None

    def text(self, schedule: Schedule, node: Node) -> str | None:
        """The words of a node of the revision; a group is found from the first code below it. None where it is not."""
        below, levels = node, 0
        while below.code is None and below.children:
            below, levels = schedule.nodes[below.children[0]], levels + 1
        path = self.path(below.code or "")
        found = path[-1 - levels : len(path) - levels]
        return next((text for code, text in found if code == node.code), None)

    def search(self, wanted: Iterable[str]) -> list[Code]:
        """The codes, from headings down, whose words with those above them hold every word, in lower case."""
        words = tuple(wanted)
        everything = (1 << len(words)) - 1
        headings = {place for code, place in self.places.items() if len(code) == 4}
        bits = {text: _bits(text, words) for text in set(self.texts)}  # "Other" stands at thousands of rows
        held: list[int | None] = []  # the words found down to each row, as bits; None above the headings
        for place, text in enumerate(self.texts):
            above = 0 if place in headings else held[self.parents[place]] if self.parents[place] != _TOP else None
            held.append(None if above is None else above | bits[text])
        return [Code(code) for code, place in self.places.items() if held[place] == everything and words]

    def _above(self, code: str) -> Iterable[tuple[str, int]]:
        """The codes that a path may pass, with their places: those that this one begins with."""
        beginnings = (code[:digits] for digits in range(1, len(code) + 1))
        return ((each, self.places[each]) for each in beginnings if each in self.places)


def _bits(text: str, words: Sequence[str]) -> int:
    lowered = text.lower()
    return sum(1 << number for number, word in enumerate(words) if word in lowered)
