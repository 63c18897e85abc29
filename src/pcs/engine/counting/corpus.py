"""Many texts at once as the vectors that `Vectoriser.mixed` gives one by one: each distinct word is read once, and
texts are products of matrices. The trap: two readings that differ by a hair; a test holds the one against the other."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pcs.engine.retrieval.vectors import FAMILIES, Family, Floats, Vectoriser
from pcs.engine.text import is_telling, letter_runs, raw_words, skeleton, stem

_ROWS = 1 << 15
_PAIR = 2  # how many texts a pair of stems must be in to count


@dataclass(frozen=True)
class _Read:
    """Texts as the numbers of their words: text `i` says `said[starts[i]:starts[i + 1]]` of `words`."""

    words: list[str]
    said: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]

    def per_word(self, terms: Iterable[Sequence[str]]) -> _Counts:
        """Counts of the terms that each word gives, whatever stands beside it."""
        numbers: dict[str, int] = {}
        given, starts = array("i"), [0]
        for of_word in terms:
            given.extend(numbers.setdefault(term, len(numbers)) for term in of_word)
            starts.append(len(given))
        by_word = _ones(np.frombuffer(given, dtype=np.int32), np.array(starts), len(numbers))
        return _Counts(list(numbers), (by_word.T.tocsr() @ self.by_text).T)  # by term at once: sorting takes as long

    @cached_property
    def by_text(self) -> sp.csr_matrix:
        """How often each word, a row, is in each text."""
        return _ones(self.said, self.starts, len(self.words)).T.tocsr()

    def stems_and_pairs(self) -> _Counts:
        """Counts of the stems of telling words and of those that are neighbours among them."""
        numbers: dict[str, int] = {}
        stem_of = np.array(
            [numbers.setdefault(stem(word), len(numbers)) if is_telling(word) else -1 for word in self.words],
            dtype=np.int64,
        )
        stems, text = stem_of[self.said], np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        stems, text = stems[stems >= 0], text[stems >= 0]
        beside = text[1:] == text[:-1]
        pairs, column = np.unique((stems[:-1] * len(numbers) + stems[1:])[beside], return_inverse=True)
        names = list(numbers)
        terms = names + [f"{names[pair // len(names)]}_{names[pair % len(names)]}" for pair in pairs.tolist()]
        rows, columns = np.concatenate([text, text[1:][beside]]), np.concatenate([stems, column + len(names)])
        shape = (len(self.starts) - 1, len(terms))
        counts = sp.coo_matrix((np.ones(len(rows), dtype=np.float32), (rows, columns)), shape=shape)
        return _Counts(terms, counts.tocsc())


@dataclass(frozen=True)
class _Counts:
    """How often each text, a row, has each term, a column."""

    terms: list[str]
    matrix: sp.csc_matrix

    def kept(self, family: Family) -> tuple[list[str], npt.NDArray[np.int64], sp.csc_matrix]:
        """The terms that are in enough texts, in alphabetical order, how many have each, and their counts."""
        found = np.diff(self.matrix.indptr)
        least = (_PAIR if "_" in term else family.rarest for term in self.terms)
        enough = np.flatnonzero(found >= np.fromiter(least, dtype=np.int64, count=len(self.terms)))
        order = sorted(enough.tolist(), key=self.terms.__getitem__)
        return [self.terms[place] for place in order], found[order], self.matrix[:, order]


def fit_corpus(texts: Sequence[str]) -> tuple[Vectoriser, sp.csr_matrix]:
    """The vocabulary of these texts, columns in alphabetical order so that it is the same on every machine, and their
    vectors, one row a text, shape (texts, width), float32."""
    said = _read(texts)
    counts: tuple[Callable[[], _Counts], ...] = (  # one at a time: each takes hundreds of megabytes
        said.stems_and_pairs,
        lambda: said.per_word(map(letter_runs, said.words)),
        lambda: said.per_word([kept] if (kept := skeleton(word)) else [] for word in said.words),
    )
    terms: list[str] = []
    idf: list[Floats] = []
    parts: list[sp.csr_matrix] = []
    for family, counted in zip(FAMILIES, counts, strict=True):
        names, frequency, matrix = counted().kept(family)
        rarity = (np.log((1 + len(texts)) / (1 + frequency)) + 1).astype(np.float16).astype(np.float32)
        terms.extend(family.mark + name for name in names)
        idf.append(rarity)
        parts.append(_weighed(matrix.tocsr(), rarity, family.weight))
        del matrix
    return Vectoriser.of(terms, np.concatenate(idf)), sp.hstack(parts, format="csr")


def _read(texts: Iterable[str]) -> _Read:
    numbers: dict[str, int] = {}
    said, starts = array("i"), [0]
    for text in texts:
        said.extend([numbers.setdefault(word, len(numbers)) for word in raw_words(text)])
        starts.append(len(said))
    return _Read(list(numbers), np.frombuffer(said, dtype=np.int32), np.array(starts))


def _ones(columns: npt.NDArray[np.int32], starts: npt.NDArray[np.int64], width: int) -> sp.csr_matrix:
    data = np.ones(len(columns), dtype=np.float32)
    return sp.csr_matrix((data, columns, starts.astype(np.int32)), shape=(len(starts) - 1, width))


def _weighed(counts: sp.csr_matrix, idf: Floats, weight: float) -> sp.csr_matrix:
    """Rows of length `weight`: each term by the logarithm of its count and by its rarity; some rows at a time, since
    what lies between takes four times the memory."""
    logs = 1 + np.log(np.arange(1, int(counts.data.max(initial=1)) + 1))
    for first in range(0, counts.shape[0], _ROWS):
        ends = counts.indptr[first : first + _ROWS + 1]
        part, times = slice(ends[0], ends[-1]), np.diff(ends)
        data = (logs[counts.data[part].astype(np.intp) - 1] * idf[counts.indices[part]]).astype(np.float32)
        lengths = np.zeros(len(times))
        lengths[times > 0] = np.add.reduceat(data * data, (ends[:-1] - ends[0])[times > 0]) if len(data) else 0.0
        factors = weight / np.maximum(np.sqrt(lengths), 1e-9)
        counts.data[part] = data * np.repeat(factors, times).astype(np.float32)
    return counts
