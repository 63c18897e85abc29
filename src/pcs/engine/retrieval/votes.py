"""What an organization has decided of goods near these: each decision votes for its code, weighed by how near its goods
are and by how often the decisions around would have been right about each other.

The trap: a count of votes that were right, kept beside the decisions; what is deleted would go on voting through it. So
nothing is counted: the decisions that are near are asked what the others near would have said of each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Self

import numpy as np
import numpy.typing as npt

from pcs.engine.decided import Decided, Standing
from pcs.engine.retrieval.vectors import Vectoriser
from pcs.engine.text import is_telling, letter_runs, raw_words, skeleton, stem
from pcs.tariff.code import Code

Floats = npt.NDArray[np.float64]

_MOST_COMPARED, _MOST_NEAR = 40, 20  # letter by letter; in all
_NEAR = 0.2
_RUN = 3
# Of nearness: the cosine of letter runs, that of words, and how rare the words are that both say.
_WORDS, _RARE = 0.28, 0.42
_RARE_WORDS = 1.2  # words of the rarest kind that both say, squared: more say no more
_SKELETON = 0.5  # of a word's weight
_SHARPNESS = 1.5  # of a vote: goods half as near say a third as much
_PRIOR_RIGHT, _PRIOR_WRONG = 2.0, 2.0


@dataclass(frozen=True, slots=True)
class NearDecision:
    """A decision on goods near: how near, 0 to 1, and what its vote weighs."""

    decided: Decided
    nearness: float
    weight: float


@dataclass(frozen=True, slots=True)
class Votes:
    """The decisions near, nearest first."""

    near: tuple[NearDecision, ...] = ()

    @classmethod
    def of(cls, name: str, decided: Sequence[Decided], vectoriser: Vectoriser) -> Self:
        """The votes of these decisions on goods with this name."""
        goods = _Said.of(name, vectoriser)
        said = [_Said.of(one.name, vectoriser) for one in decided]
        close = sorted(range(len(decided)), key=lambda place: -goods.in_words(said[place]))[:_MOST_COMPARED]
        order = sorted(close, key=lambda place: -goods.nearness(said[place]))[:_MOST_NEAR]
        near = [(place, shown) for place in order if (shown := goods.nearness(said[place])) >= _NEAR]
        codes = [decided[place].code for place, _ in near]
        right = _rightness([said[place] for place, _ in near], codes)
        return cls(tuple(_near(decided[place], shown, right) for place, shown in near))

    def headings(self) -> dict[Code, float]:
        """What is voted for each heading, 0 to 1."""
        return _together((one.decided.code.heading, one.weight) for one in self.near)

    def lines(self, codes: Sequence[Code]) -> Floats:
        """What is voted for each of these lines: 0 to 1, and half of what is voted for its subheading."""
        if not self.near:
            return np.zeros(len(codes))
        lines = _together((one.decided.code, one.weight) for one in self.near)
        six = _together((one.decided.code.subheading, one.weight) for one in self.near)
        return np.array([lines.get(code, 0.0) + six.get(code.subheading, 0.0) / 2 for code in codes])


def _near(decided: Decided, nearness: float, right: float) -> NearDecision:
    """A decision with its vote, which counts only while its line stands."""
    weight = right * nearness**_SHARPNESS if decided.standing is Standing.IN_FORCE else 0.0
    return NearDecision(decided, round(nearness, 4), weight)


def _together(votes: Iterable[tuple[Code, float]]) -> dict[Code, float]:
    """Several votes for one code: each speaks to what the ones before it left open."""
    found: dict[Code, float] = {}
    for code, weight in votes:
        found[code] = 1 - (1 - found.get(code, 0.0)) * (1 - weight)
    return found


@dataclass(frozen=True)
class _Said:
    """A name as it is compared: its words that tell, the weight of each word and its skeleton, and their length; that
    of each run of letters, which take most of the time, only where they are asked for."""

    telling: tuple[str, ...]
    words: dict[str, float]
    length: float
    vectoriser: Vectoriser

    @classmethod
    def of(cls, name: str, vectoriser: Vectoriser) -> Self:
        telling = tuple(word for word in raw_words(name) if is_telling(word))
        words = dict(_weighed(telling, vectoriser))
        return cls(telling, words, _length(words), vectoriser)

    @cached_property
    def runs(self) -> dict[str, float]:
        runs = {run for word in self.telling for run in letter_runs(word) if len(run) == _RUN}
        return {run: self.vectoriser.weight(f"l{run}") for run in sorted(runs)}

    @cached_property
    def runs_length(self) -> float:
        return _length(self.runs)

    def in_words(self, other: _Said) -> float:
        """What the words of both add to their nearness."""
        shared = _product(self.words, other.words)
        words = shared / max(self.length * other.length, 1e-9)
        return _WORDS * words + _RARE * min(1.0, shared / (_RARE_WORDS * self.vectoriser.rarest**2))

    def nearness(self, other: _Said) -> float:
        """How near the goods of another name are, 0 to 1."""
        letters = _product(self.runs, other.runs) / max(self.runs_length * other.runs_length, 1e-9)
        return min(1.0, letters + self.in_words(other))


def _weighed(telling: Iterable[str], vectoriser: Vectoriser) -> Iterator[tuple[str, float]]:
    for word in telling:
        yield stem(word), vectoriser.weight(f"w{stem(word)}")
        kept = skeleton(word)
        if kept is not None and len(kept) > 2:
            yield f"~{kept}", _SKELETON * vectoriser.weight(f"s{kept}")


def _length(weights: dict[str, float]) -> float:
    return sqrt(sum(weight * weight for weight in weights.values()))


def _product(ours: dict[str, float], theirs: dict[str, float]) -> float:
    return sum(weight * theirs[term] for term, weight in ours.items() if term in theirs)


def _rightness(said: Sequence[_Said], codes: Sequence[Code]) -> float:
    """How often the nearest of the others has the right heading, over decisions that have another near; with a prior of
    two in four (Laplace), so that the first few decisions are heard and not believed."""
    between = np.zeros((len(said), len(said)))
    for place, one in enumerate(said):
        for spot in range(place):
            between[place, spot] = between[spot, place] = one.nearness(said[spot])
    asked = [place for place in range(len(said)) if between[place].max() >= _NEAR]
    right = sum(codes[int(between[place].argmax())].heading == codes[place].heading for place in asked)
    return (right + _PRIOR_RIGHT) / (len(asked) + _PRIOR_RIGHT + _PRIOR_WRONG)
