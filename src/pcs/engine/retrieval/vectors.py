"""Text as a sparse unit vector over three families of terms: words and their pairs, runs of letters, skeletons. The
trap: a vocabulary that grows with the query; unknown terms are dropped, never numbered."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import chain, takewhile
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from pcs.engine.arrays import Arrays
from pcs.engine.retrieval.vocabulary import Vocabulary
from pcs.engine.text import letter_runs, plain, raw_words, skeletons, stem, without_purpose, word_terms

Floats = npt.NDArray[np.float32]


class Vector(NamedTuple):
    """The columns of a text's terms, in order, and the weight of each."""

    indices: npt.NDArray[np.int32]
    data: Floats


@dataclass(frozen=True, slots=True)
class Family:
    """One way of taking terms from a text, or from each of its words, its weight in the whole, and how many texts a
    term must be in to count."""

    mark: str
    terms: Callable[[str], Sequence[str]]
    weight: float
    rarest: int
    by_word: bool = False


# Weights chosen among a few by heading accuracy on the development sets.
FAMILIES = (
    Family("w", word_terms, 1.0, 1),
    Family("l", letter_runs, 0.7, 3, by_word=True),
    Family("s", skeletons, 0.7, 1, by_word=True),
)


_WORD_MARK = FAMILIES[0].mark
_WORDS = 1 << 13  # whose runs of letters are remembered as columns, in 6 MB
_LONG_ENOUGH = 20  # characters: shop systems cut names at a width, and none is narrower
# Characters of a description; half or one and a half of each gains as much on officers' descriptions.
_SAID_FIRST = 400
_SAID = 1000
_SHARES = (0.5, 0.25, 0.25)  # of the name, of what was said first and of what was said
_HEAD = 0.25  # of the name's half, where a head was found; 0.4 costs probes of negation and inverted names
_ENOUGH = 15  # word terms that are known; with 20 as many listings are right, with 30 fewer
_LAST_WORD = re.compile(r"([a-z]{3,})\W*$")


@dataclass(frozen=True, eq=False)
class Vectoriser:
    """The vocabulary (family mark and term -> column), each column's inverse document frequency, and the columns of
    single words, in alphabetical order."""

    vocabulary: Vocabulary
    idf: Floats
    words: npt.NDArray[np.int32]

    @classmethod
    def of(cls, terms: Sequence[str], idf: Floats) -> Self:
        """From marked terms, family by family and in alphabetical order in each."""
        words = [place for place, term in enumerate(terms) if term[0] == _WORD_MARK and term.isalpha()]
        return cls(Vocabulary.of(terms), idf, np.array(words, dtype=np.int32))

    @property
    def width(self) -> int:
        """How many columns a vector has."""
        return len(self.idf)

    @cached_property
    def rarity(self) -> Floats:
        """The inverse document frequency of word terms, which have the first columns."""
        others = bisect_left(range(self.width), 1, key=lambda place: self.vocabulary.term(place)[0] != _WORD_MARK)
        return self.idf[:others]

    def knows(self, stem: str) -> bool:
        """Whether a lesson has this stem."""
        return f"w{stem}" in self.vocabulary

    def commonness(self, stem: str) -> float:
        """How many times as many lessons have a stem as have the rarest; 0 where none has it."""
        column = self.vocabulary.get(f"w{stem}")
        return 0.0 if column is None else float(np.exp(self.rarest - self.idf[column]))

    def weight(self, term: str) -> float:
        """The inverse document frequency of a marked term; of one that no lesson has, that of the rarest."""
        column = self.vocabulary.get(term)
        return self.rarest if column is None else float(self.idf[column])

    @cached_property
    def rarest(self) -> float:
        """The highest inverse document frequency."""
        return float(self.idf.max())

    def completed(self, name: str) -> str:
        """A name whose last word was cut off, with the commonest known word that begins so; any other as it was.

        "wrap front cotton trous" becomes "wrap front cotton trous trouser".
        """
        said = " ".join(plain(name).split())
        cut = _LAST_WORD.search(said) if len(said) >= _LONG_ENOUGH else None
        if cut is None or f"{_WORD_MARK}{stem(cut[1])}" in self.vocabulary:
            return name
        begun = f"{_WORD_MARK}{cut[1]}"
        start = bisect_left(self.words, begun, key=self.vocabulary.term)
        fitting = takewhile(lambda column: self.vocabulary.term(column).startswith(begun), self.words[start:])
        commonest = min(fitting, key=lambda column: self.idf[column], default=None)
        meant = None if commonest is None else self.vocabulary.term(commonest).removeprefix(_WORD_MARK)
        return name if meant is None else f"{name} {meant}"

    def query(self, name: str, description: str, head: str = "") -> Vector:
        """One for a product: its name without its purpose, what was said, what came first twice, and its head.

        The name says what the goods are, its head most of all; a description mostly says what they are like and for,
        and a long one goes on to how they are made, packed and argued about.
        """
        name = self.completed(name)
        said = (f"{name}\n{description[:length]}" for length in (_SAID_FIRST, _SAID))
        shares = (_SHARES[0] - _HEAD, *_SHARES[1:], _HEAD) if head else _SHARES
        texts = (without_purpose(name), *said, *([head] if head else ()))
        parts: dict[str, float] = {}
        for share, text in zip(shares, texts, strict=True):  # a short description is the same text twice
            parts[text] = parts.get(text, 0.0) + share
        return self.mixed(parts)

    def mixed(self, parts: Mapping[str, float]) -> Vector:
        """One for texts, each with its share; in each text each family has unit length times its weight."""
        said = [(text, share, family) for text, share in parts.items() for family in FAMILIES]
        found = [self._columns(text, family) for text, _, family in said]
        place = np.repeat(np.arange(len(found)), [len(columns) for columns in found])
        every = np.fromiter(chain.from_iterable(found), dtype=np.int64, count=len(place))
        each, times = np.unique(place * self.width + every, return_counts=True)
        place, every = np.divmod(each, self.width)
        values = (1.0 + np.log(times)) * self.idf[every]
        lengths = np.sqrt(np.bincount(place, values * values, len(said)))
        values *= (np.array([share * family.weight for _, share, family in said]) / np.maximum(lengths, 1e-9))[place]
        columns, place = np.unique(every, return_inverse=True)
        data = np.bincount(place, values, len(columns)).astype(np.float32)
        return Vector(columns.astype(np.int32), data)

    def by_words(self, query: Vector) -> Vector:
        """The same with letters and skeletons weighing the less the more word terms it has; all together weigh
        what they did. They meet what words do not, and where the words say enough they bring in what sounds alike."""
        words = query.indices < len(self.rarity)
        known = int(words.sum())
        if known <= _ENOUGH:
            return query
        data = np.where(words, query.data, query.data * np.float32(_ENOUGH / known))
        data *= query.data.sum() / data.sum()
        return Vector(query.indices, data)

    def _columns(self, text: str, family: Family) -> list[int]:
        """The column of each term of a text that is known, as often as it was said."""
        if family.by_word:
            return list(chain.from_iterable(map(self._of_word[family.mark], raw_words(text))))
        return self._known(family, text, self.vocabulary.get)

    @cached_property
    def _of_word(self) -> dict[str, Callable[[str], list[int]]]:
        """The same of one word, for each family that goes by words, by its mark; of the last ones it is remembered."""
        find = self.vocabulary.find
        by_word = (family for family in FAMILIES if family.by_word)
        return {family.mark: lru_cache(maxsize=_WORDS)(partial(self._known, family, find=find)) for family in by_word}

    @staticmethod
    def _known(family: Family, text: str, find: Callable[[str], int | None]) -> list[int]:
        found = map(find, map(family.mark.__add__, family.terms(text)))
        return [column for column in found if column is not None]

    def arrays(self) -> Arrays:
        """As plain arrays, to be stored."""
        return {**self.vocabulary.arrays("terms"), "idf": self.idf, "words": self.words}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """What `arrays()` stored."""
        return cls(Vocabulary.from_arrays(arrays, "terms"), arrays["idf"], arrays["words"])
