"""A lexical index: BM25 over short documents. The trap: scoring every document for every query; only the postings of
the query's own words are touched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float32]

_SATURATION = 1.2  # k1, Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009
_LENGTH = 0.5  # b; paths are short and their length says little


@dataclass(frozen=True)
class LexicalIndex:
    """Postings of `size` documents: term -> slice of `documents` (int32) and `weights` (float32, idf included)."""

    size: int
    vocabulary: dict[str, int]
    starts: npt.NDArray[np.int64]
    documents: npt.NDArray[np.int32]
    weights: Scores

    def scores(self, terms: Iterable[str]) -> Scores:
        """The BM25 score of each document, shape (size,); a term said twice counts once."""
        total = np.zeros(self.size, dtype=np.float32)
        for term in dict.fromkeys(terms):
            place = self.vocabulary.get(term)
            if place is not None:
                part = slice(self.starts[place], self.starts[place + 1])
                total[self.documents[part]] += self.weights[part]
        return total

    def ideal(self, terms: Iterable[str]) -> float:
        """The most that a document could score: each term's best weight, and for an unknown term the best of all."""
        if not len(self.weights):
            return 0.0
        unknown = float(self.weights.max())
        return sum(
            unknown if place is None else float(self.weights[self.starts[place] : self.starts[place + 1]].max())
            for place in map(self.vocabulary.get, dict.fromkeys(terms))
        )


def lexical_index(documents: Sequence[Sequence[str]]) -> LexicalIndex:
    """Index documents given as their terms, in order."""
    vocabulary: dict[str, int] = {}
    postings: list[list[tuple[int, int]]] = []
    for number, terms in enumerate(documents):
        for term, count in Counter(terms).items():
            place = vocabulary.setdefault(term, len(postings))
            if place == len(postings):
                postings.append([])
            postings[place].append((number, count))
    lengths = np.array([len(terms) for terms in documents] or [0], dtype=np.float32)
    starts = np.concatenate([[0], np.cumsum([len(found) for found in postings])]).astype(np.int64)
    numbers = np.array([number for found in postings for number, _ in found], dtype=np.int32)
    counts = np.array([count for found in postings for _, count in found], dtype=np.float32)
    frequency = np.repeat(np.diff(starts), np.diff(starts)).astype(np.float32)
    idf = np.log1p((len(documents) - frequency + 0.5) / (frequency + 0.5))
    norm = 1 - _LENGTH + _LENGTH * lengths[numbers] / max(float(lengths.mean()), 1e-9)
    weights = idf * counts * (_SATURATION + 1) / (counts + _SATURATION * norm)
    return LexicalIndex(len(documents), vocabulary, starts, numbers, weights.astype(np.float32))
