"""Which provisions share words with the goods: the legal text of every line's whole path. The trap: common words such
as "other" or "of"; a word counts for how few headings use it."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from pcs.engine.arrays import Arrays, joined
from pcs.engine.retrieval.vocabulary import Vocabulary
from pcs.engine.text import words
from pcs.tariff.schedule import Node, Schedule

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Overlap:
    """What the goods share with each line, shape (lines,) each, 0 to 1.

    `own`: the share of the line's own words that were said; `path`: of its whole path's words; `covered`: the share of
    what was said that the path's words cover.
    """

    own: Floats
    path: Floats
    covered: Floats


@dataclass(frozen=True)
class Postings:
    """Term `i` is in the lines `lines[starts[i]:starts[i + 1]]` and weighs `weights[i]` in each."""

    starts: npt.NDArray[np.int64]
    lines: npt.NDArray[np.unsignedinteger]
    weights: Floats

    def sums(self, terms: npt.NDArray[np.integer], size: int) -> Floats:
        """What these terms weigh in each line, shape (size,)."""
        starts, stops = self.starts[terms], self.starts[terms + 1]
        total = np.zeros(size, dtype=np.float32)
        np.add.at(total, joined(self.lines, starts, stops), np.repeat(self.weights[terms], stops - starts))
        return total


@dataclass(frozen=True)
class Provisions:
    """Terms by lines: those of a line's own words, and those of its whole path; the masses are each line's sums."""

    vocabulary: Vocabulary
    weights: Floats
    own: Postings
    path: Postings
    own_mass: Floats
    path_mass: Floats
    unknown_weight: float

    def overlap(self, text: str) -> Overlap:
        """Compare what was said with every line."""
        said = list(dict.fromkeys(words(text)))
        known = [place for term in said if (place := self.vocabulary.get(term)) is not None]
        total = float(self.weights[known].sum()) + self.unknown_weight * (len(said) - len(known))
        terms, size = np.array(sorted(known), dtype=np.int64), len(self.own_mass)
        path = self.path.sums(terms, size)
        return Overlap(
            own=self.own.sums(terms, size) / self.own_mass,
            path=path / self.path_mass,
            covered=path / max(total, 1e-9),
        )

    def arrays(self, name: str) -> Arrays:
        """As plain arrays, to be stored under this name."""
        postings = {"own": self.own, "path": self.path}
        return {
            **self.vocabulary.arrays(f"{name}.terms"),
            f"{name}.weights": self.weights,
            f"{name}.unknown": np.array([self.unknown_weight]),
            f"{name}.own_mass": self.own_mass,
            f"{name}.path_mass": self.path_mass,
            **{f"{name}.{each}.starts": found.starts for each, found in postings.items()},
            **{f"{name}.{each}.lines": found.lines for each, found in postings.items()},
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, name: str) -> Self:
        """What `arrays()` stored under this name."""
        weights = arrays[f"{name}.weights"]
        own, path = (
            Postings(arrays[f"{name}.{each}.starts"], arrays[f"{name}.{each}.lines"], weights)
            for each in ("own", "path")
        )
        return cls(
            Vocabulary.from_arrays(arrays, f"{name}.terms"),
            weights,
            own,
            path,
            arrays[f"{name}.own_mass"],
            arrays[f"{name}.path_mass"],
            float(arrays[f"{name}.unknown"][0]),
        )


def lines_by_heading(schedule: Schedule) -> tuple[Node, ...]:
    """The lines of a revision by their codes, those of a heading together."""
    return tuple(sorted(schedule.lines, key=lambda line: str(line.code)))


def index_provisions(schedule: Schedule) -> Provisions:
    """Index the words of every line and of its path, the lines by heading."""
    lines = lines_by_heading(schedule)
    numbers: dict[str, int] = {}
    own, path = _Said.of_no_line(), _Said.of_no_line()
    seen: dict[int, tuple[int, ...]] = {}
    for line in lines:
        for node in (steps := schedule.path(line)):
            if node.index not in seen:
                seen[node.index] = tuple({numbers.setdefault(term, len(numbers)) for term in words(node.text)})
        own.add(seen[line.index])
        path.add(set().union(*(seen[node.index] for node in steps)))
    alphabetical = sorted(numbers)
    places = np.empty(len(numbers), dtype=np.int64)
    places[[numbers[term] for term in alphabetical]] = np.arange(len(numbers))
    _, heading = np.unique([str(line.code)[:4] for line in lines], return_inverse=True)
    weights, unknown_weight = _weights(path, places, heading)
    every = np.arange(len(alphabetical))
    found = [said.postings(places, weights) for said in (own, path)]
    masses = [np.maximum(postings.sums(every, len(lines)), 1e-3) for postings in found]
    vocabulary = Vocabulary.of(alphabetical)
    return Provisions(vocabulary, weights, found[0], found[1], masses[0], masses[1], unknown_weight)


@dataclass(frozen=True)
class _Said:
    """The numbers of the terms of one line after the other, and where each line's end."""

    terms: array[int]
    ends: array[int]

    @classmethod
    def of_no_line(cls) -> Self:
        return cls(array("i"), array("q", [0]))

    def add(self, terms: Iterable[int]) -> None:
        self.terms.extend(terms)
        self.ends.append(len(self.terms))

    def pairs(self, places: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The place of each term said, and the line that says it."""
        ends = np.frombuffer(self.ends, dtype=np.int64)
        return places[np.frombuffer(self.terms, dtype=np.int32)], np.repeat(np.arange(len(ends) - 1), np.diff(ends))

    def postings(self, places: npt.NDArray[np.int64], weights: Floats) -> Postings:
        """The same by term, the terms at their places."""
        terms, lines = self.pairs(places)
        starts = np.concatenate([[0], np.cumsum(np.bincount(terms, minlength=len(places)))])
        order = np.argsort(terms, kind="stable")
        return Postings(starts, lines[order].astype(np.min_scalar_type(len(self.ends))), weights)


def _weights(path: _Said, places: npt.NDArray[np.int64], heading: npt.NDArray[np.int64]) -> tuple[Floats, float]:
    """How much each term weighs, by how few headings use it, and what one weighs that none uses."""
    terms, lines = path.pairs(places)
    headings = int(heading.max(initial=-1)) + 1
    used = np.unique(terms * max(headings, 1) + heading[lines]) // max(headings, 1)
    frequency = np.bincount(used, minlength=len(places)).tolist()
    found = np.array([math.log1p(headings / (count + 0.5)) for count in frequency], dtype=np.float32)
    return found, math.log1p(headings / 0.5)
