"""Text as a sparse unit vector over three families of terms: words and their pairs, runs of letters, skeletons. The
trap: a vocabulary that grows with the query; unknown terms are dropped, never numbered."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pcs.engine.text import letter_terms, plain, skeleton_terms, stem, without_purpose, word_terms

Floats = npt.NDArray[np.float32]
Arrays = Mapping[str, npt.NDArray[np.generic]]
"""Trained numbers by name, as a file holds them."""


@dataclass(frozen=True, slots=True)
class Family:
    """One way of taking terms from a text, its weight in the whole, and how many texts a term must be in to count."""

    mark: str
    terms: Callable[[str], list[str]]
    weight: float
    rarest: int


# Weights chosen among a few by heading accuracy on the development sets.
FAMILIES = (
    Family("w", word_terms, 1.0, 1),
    Family("l", letter_terms, 0.7, 3),
    Family("s", skeleton_terms, 0.7, 1),
)


_WORD_MARK = FAMILIES[0].mark
_LONG_ENOUGH = 20  # characters: shop systems cut names at a width, and none is narrower
# Characters of a description; half or one and a half of each gains as much on officers' descriptions.
_SAID_FIRST = 400
_SAID = 1000
_LAST_WORD = re.compile(r"([a-z]{3,})\W*$")


@dataclass(frozen=True)
class Vectoriser:
    """The vocabulary (family mark and term -> column) and each column's inverse document frequency."""

    vocabulary: dict[str, int]
    idf: Floats

    @property
    def width(self) -> int:
        """How many columns a vector has."""
        return len(self.idf)

    @cached_property
    def rarity(self) -> Floats:
        """The inverse document frequency of word terms, which have the first columns."""
        others = (place for place, term in enumerate(self.vocabulary) if not term.startswith(_WORD_MARK))
        return self.idf[: next(others, self.width)]

    @cached_property
    def _words(self) -> list[str]:
        """Every known stem, in alphabetical order."""
        terms = (term.removeprefix(_WORD_MARK) for term in self.vocabulary if term.startswith(_WORD_MARK))
        return [term for term in terms if term.isalpha()]

    def completed(self, name: str) -> str:
        """A name whose last word was cut off, with the commonest known word that begins so; any other as it was.

        "wrap front cotton trous" becomes "wrap front cotton trous trouser".
        """
        said = " ".join(plain(name).split())
        cut = _LAST_WORD.search(said) if len(said) >= _LONG_ENOUGH else None
        if cut is None or f"{_WORD_MARK}{stem(cut[1])}" in self.vocabulary:
            return name
        start = bisect_left(self._words, cut[1])
        fitting = takewhile(lambda word: word.startswith(cut[1]), self._words[start:])
        meant = min(fitting, key=lambda word: self.idf[self.vocabulary[f"{_WORD_MARK}{word}"]], default=None)
        return name if meant is None else f"{name} {meant}"

    def entries(self, text: str) -> dict[int, float]:
        """Column -> weight of one text; each family has unit length times its weight."""
        merged: dict[int, float] = {}
        for family in FAMILIES:
            found = Counter(family.terms(text))
            part = {
                column: (1.0 + math.log(count)) * float(self.idf[column])
                for term, count in found.items()
                if (column := self.vocabulary.get(family.mark + term)) is not None
            }
            length = math.sqrt(sum(value * value for value in part.values()))
            if length:
                merged.update((column, family.weight * value / length) for column, value in part.items())
        return merged

    def matrix(self, texts: Iterable[str]) -> sp.csr_matrix:
        """One row a text, shape (texts, width), float32."""
        return _matrix((self.entries(text) for text in texts), self.width)

    def query(self, name: str, description: str) -> sp.csr_matrix:
        """One row for a product: half of it the name without its purpose, half what was said, what came first twice.

        The name says what the goods are; a description mostly says what they are like and for, and a long one goes on
        to how they are made, packed and argued about.
        """
        name = self.completed(name)
        said = (f"{name}\n{description[:length]}" for length in (_SAID_FIRST, _SAID))
        texts = (without_purpose(name), *said)
        found = {text: self.entries(text) for text in texts}  # a short description is the same text twice
        mixed: dict[int, float] = {}
        for share, text in zip((0.5, 0.25, 0.25), texts, strict=True):
            for column, value in found[text].items():
                mixed[column] = mixed.get(column, 0.0) + share * value
        return _matrix([mixed], self.width)


def fit_vectoriser(texts: Sequence[str]) -> Vectoriser:
    """The vocabulary of these texts, columns in alphabetical order so that it is the same on every machine."""
    vocabulary: list[str] = []
    idf: list[float] = []
    for family in FAMILIES:
        frequency = Counter(term for text in texts for term in set(family.terms(text)))
        for term in sorted(term for term, count in frequency.items() if count >= _least(family, term)):
            vocabulary.append(family.mark + term)
            idf.append(math.log((1 + len(texts)) / (1 + frequency[term])) + 1)
    return Vectoriser({term: column for column, term in enumerate(vocabulary)}, np.array(idf, dtype=np.float32))


def _least(family: Family, term: str) -> int:
    return 2 if "_" in term else family.rarest


def _matrix(rows: Iterable[dict[int, float]], width: int) -> sp.csr_matrix:
    starts, columns, values = [0], list[int](), list[float]()
    for row in rows:
        for column in sorted(row):
            columns.append(column)
            values.append(row[column])
        starts.append(len(columns))
    shape = (len(starts) - 1, width)
    data = np.array(values, dtype=np.float32)
    return sp.csr_matrix((data, np.array(columns, dtype=np.int32), np.array(starts, dtype=np.int32)), shape=shape)
