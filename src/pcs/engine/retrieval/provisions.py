"""Which provisions share words with the goods: the legal text of every line's whole path. The trap: common words such
as "other" or "of"; a word counts for how few headings use it."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pcs.engine.arrays import joined
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
class Provisions:
    """Terms by lines: `own` and `path` hold a term's weight where the line has it; the masses are their column sums."""

    vocabulary: dict[str, int]
    weights: Floats
    own: sp.csr_matrix
    path: sp.csr_matrix
    own_mass: Floats
    path_mass: Floats
    unknown_weight: float

    def overlap(self, text: str) -> Overlap:
        """Compare what was said with every line."""
        said = list(dict.fromkeys(words(text)))
        rows = [place for term in said if (place := self.vocabulary.get(term)) is not None]
        total = float(self.weights[rows].sum()) + self.unknown_weight * (len(said) - len(rows))
        rows.sort()
        path = _said(self.path, rows)
        return Overlap(
            own=_said(self.own, rows) / self.own_mass,
            path=path / self.path_mass,
            covered=path / max(total, 1e-9),
        )


def index_provisions(schedule: Schedule, lines: Sequence[Node]) -> Provisions:
    """Index the words of every line and of its path."""
    own = [frozenset(words(line.text)) for line in lines]
    memory: dict[int, frozenset[str]] = {}
    path = [_path_words(schedule, line, memory) for line in lines]
    used_by: dict[str, set[str]] = defaultdict(set)
    for line, terms in zip(lines, path, strict=True):
        for term in terms:
            used_by[term].add(str(line.code)[:4])
    frequency = Counter({term: len(headings) for term, headings in used_by.items()})
    headings = len({str(line.code)[:4] for line in lines})
    vocabulary = {term: place for place, term in enumerate(sorted(frequency))}
    weights = np.array([math.log1p(headings / (frequency[term] + 0.5)) for term in vocabulary], dtype=np.float32)
    own_matrix, path_matrix = (_matrix(sets, vocabulary, weights) for sets in (own, path))
    return Provisions(
        vocabulary,
        weights,
        own_matrix,
        path_matrix,
        np.maximum(_dense(own_matrix.sum(axis=0)), 1e-3),
        np.maximum(_dense(path_matrix.sum(axis=0)), 1e-3),
        math.log1p(headings / 0.5),
    )


def _path_words(schedule: Schedule, node: Node, memory: dict[int, frozenset[str]]) -> frozenset[str]:
    if node.index not in memory:
        above = frozenset[str]() if node.parent is None else _path_words(schedule, schedule.nodes[node.parent], memory)
        memory[node.index] = above | frozenset(words(node.text))
    return memory[node.index]


def _matrix(sets: Iterable[frozenset[str]], vocabulary: dict[str, int], weights: Floats) -> sp.csr_matrix:
    starts, rows = [0], list[int]()
    for terms in sets:
        rows.extend(sorted(vocabulary[term] for term in terms))
        starts.append(len(rows))
    places = np.array(rows, dtype=np.int32)
    by_line = sp.csr_matrix((weights[places], places, np.array(starts)), shape=(len(starts) - 1, len(vocabulary)))
    return by_line.T.tocsr()


def _said(matrix: sp.csr_matrix, rows: Sequence[int]) -> Floats:
    """The sum of these rows."""
    starts, stops = matrix.indptr[rows], matrix.indptr[1:][rows]
    total = np.zeros(matrix.shape[1], dtype=np.float32)
    np.add.at(total, joined(matrix.indices, starts, stops), joined(matrix.data, starts, stops))
    return total


def _dense(row: Any) -> Floats:  # noqa: ANN401 - scipy publishes no types
    return np.asarray(row.todense() if sp.issparse(row) else row, dtype=np.float32).ravel()
