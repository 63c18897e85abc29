"""What the provisions of a revision require of goods: counted for each line of a heading, and asked of each heading.
The trap: a requirement that is counted for lines beside the provision's own; it holds for those below it, no others."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from pcs.engine.legal.packing import PACKINGS, are_packed
from pcs.engine.legal.states import State, contradicted, states_asked, states_of
from pcs.engine.legal.terms import NOTHING, SaidWords, Terms, Verdict, affirmed_in, outside_of
from pcs.engine.reading.quantities import Quantity
from pcs.engine.reading.reading import Reading
from pcs.engine.retrieval.by_term import ByTerm
from pcs.tariff.code import Code
from pcs.tariff.schedule import Node, Schedule

Floats = npt.NDArray[np.float64]
_NONE = -1
_DENIED = Verdict(met=0, contradicted=1)  # by goods that are said not to be what a provision takes
_PARTS = re.compile(r"\s*(?:other )?parts\b|.{0,200}parts and accessories", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _OfHeadings:
    """What headings ask for: the intervals of each that names any, the places of those that take goods in the same
    states alone, and of those of packings."""

    intervals: dict[int, tuple[Quantity, ...]]
    states: dict[frozenset[State], list[int]]
    packings: list[int]


class Requirements:
    """What one schedule's provisions require; `lines` are its lines, those of a heading together, `asking` has the
    terms of the provisions that require anything, by their text, and `affirmed` where a provision affirms a stem."""

    def __init__(
        self, schedule: Schedule, lines: Sequence[Node], asking: Mapping[str, Terms], affirmed: ByTerm
    ) -> None:
        self._schedule, self._asking, self._affirmed = schedule, asking, affirmed
        self._lines = np.array([line.index for line in lines])
        self._tops, self._ends, of_parts = _below_headings(schedule.nodes)
        self._of_parts = of_parts[self._lines]
        steps = np.flatnonzero((self._tops != _NONE) & (self._tops != np.arange(len(schedule.nodes)))).tolist()
        self._requiring = [place for place in steps if schedule.nodes[place].text in asking]
        self._asked: _OfHeadings | None = None

    def counts(self, heading: slice, said: SaidWords) -> Floats | None:
        """For each line of a heading, how many requirements of the provisions above it, below the heading, the goods
        meet, how many they contradict, and how many intervals they lie outside of, shape (3, lines); None where nothing
        was said of any."""
        lines = self._lines[heading]
        start, stop = int(self._tops[lines].min()) + 1, int(lines.max()) + 1
        asked = self._asked_between(start, stop)
        telling = [(place, found) for place, terms in asked if (found := said.verdict(terms)) is not NOTHING]
        telling += [(place, _DENIED) for place in self._affirmed_between(start, stop, said.denied)]
        if not telling:
            return None
        places = np.array([place for place, _ in telling])
        values = np.array([(found.met, found.contradicted, found.outside) for _, found in telling], dtype=np.float64)
        below = (lines >= places[:, None]) & (lines < self._ends[places][:, None])
        counts: Floats = values.T @ below
        return counts

    def parts(self, heading: slice) -> Floats:
        """1 for each line of a heading that lies below "Parts", else 0."""
        found: Floats = self._of_parts[heading]
        return found

    def _asked_between(self, start: int, stop: int) -> Iterator[tuple[int, Terms]]:
        """The provisions in a stretch of the schedule that require anything, and what."""
        first, last = (bisect_left(self._requiring, place) for place in (start, stop))
        for place in self._requiring[first:last]:
            yield place, self._asking[self._schedule.nodes[place].text]

    def _affirmed_between(self, start: int, stop: int, denied: Collection[str]) -> set[int]:
        """The provisions in a stretch of the schedule that take goods for what they are said not to be."""
        found = set[int]()
        for places in map(self._affirmed.of_term, denied):
            first, last = places.searchsorted((start, stop))
            found.update(places[first:last].tolist())
        return found

    def headings_contradicted(self, headings: Sequence[Code], reading: Reading) -> Floats:
        """1 for each heading that asks for what the goods are not: its own words name an interval that they lie outside
        of, takes them in another state, or is of what they are only packed in; else 0."""
        if self._asked is None:
            self._asked = self._of_headings(headings)
        found = np.zeros(len(headings))
        for place, intervals in self._asked.intervals.items() if reading.quantities else ():
            found[place] = outside_of(intervals, reading.quantities) > 0
        said = states_of(reading.text)
        for asked, places in self._asked.states.items() if said else ():
            if contradicted(asked, said):
                found[places] = 1.0
        if are_packed(reading.name):
            found[self._asked.packings] = 1.0
        return found

    def _of_headings(self, headings: Sequence[Code]) -> _OfHeadings:
        nodes = {place: node for place, code in enumerate(headings) if (node := self._schedule.get(code))}
        terms = {place: self._asking[node.text] for place, node in nodes.items() if node.text in self._asking}
        intervals = {place: found.intervals for place, found in terms.items() if found.intervals}
        states: dict[frozenset[State], list[int]] = {}
        for place, node in nodes.items():
            chapter = next((step for step in self._schedule.path(node) if step.code and len(step.code) == 2), node)
            if asked := states_asked(headings[place], chapter.text, node.text):
                states.setdefault(asked, []).append(place)
        return _OfHeadings(intervals, states, [place for place in nodes if headings[place] in PACKINGS])


def _below_headings(nodes: Sequence[Node]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Floats]:
    """For each node the heading that it lies at or below, _NONE for a chapter; where what lies below it ends; and 1
    where it lies at or below parts of a heading, else 0."""
    tops, ends, parts = [_NONE] * len(nodes), list(range(1, len(nodes) + 1)), [0.0] * len(nodes)
    for node in nodes:
        above = _NONE if node.parent is None else tops[node.parent]
        tops[node.index] = node.index if above == _NONE and node.code and len(node.code) >= len("0000") else above
        if above != _NONE and node.parent is not None:
            parts[node.index] = float(parts[node.parent] or _PARTS.match(node.text) is not None)
    for node in reversed(nodes):
        if node.parent is not None:
            ends[node.parent] = max(ends[node.parent], ends[node.index])
    return np.array(tops), np.array(ends), np.array(parts)


def affirmed_by_stem(schedule: Schedule) -> ByTerm:
    """Where in a schedule each stem is affirmed."""
    found: dict[str, list[int]] = {}
    stems = cache(affirmed_in)
    for node in schedule.nodes:
        for stem in stems(node.text):
            found.setdefault(stem, []).append(node.index)
    return ByTerm.of(found)
