"""What an organization has decided of goods near these: each decision votes for its code, weighed by how near its goods
are and by how often the decisions around would have been right about each other.

The trap: a count of votes that were right, kept beside the decisions; what is deleted would go on voting through it. So
nothing is counted: the decisions that are near are asked what the others near would have said of each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Self

import numpy as np
import numpy.typing as npt

from pcs.engine.decided import Decided, Standing
from pcs.engine.retrieval.vectors import Vectoriser
from pcs.engine.text import is_telling, letter_runs, raw_words, skeleton, stem
from pcs.tariff.code import Code

Floats = npt.NDArray[np.float64]
_Weights = tuple[tuple[str, float], ...]

_MOST_NEAR = 20
_NEAR = 0.2
_RUN = 3
_WORDS_KEPT = 8_192  # some 8 MB
_EXACT = 12  # decimals: names that read alike are equally near
# Of nearness: the cosine of letter runs, that of words, and how rare the words are that both say.
_WORDS, _RARE = 0.28, 0.42
_RARE_WORDS = 1.2  # words of the rarest kind that both say, squared: more say no more
_SKELETON = 0.5  # of a word's weight
_SHARPNESS = 1.5  # of a vote: goods half as near say a third as much
_BY_MODEL = 0.5  # of a vote: what a language model decided, and no person
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
        between = _nearness([name, *(one.name for one in decided)], vectoriser)
        shown = between[0, 1:].tolist()
        order = sorted(range(len(decided)), key=lambda place: -shown[place])[:_MOST_NEAR]
        near = [(place, shown[place]) for place in order if shown[place] >= _NEAR]
        places = [place + 1 for place, _ in near]
        right = _rightness(between[np.ix_(places, places)], [decided[place].code for place, _ in near])
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
    weight *= _BY_MODEL if decided.by_model else 1.0
    return NearDecision(decided, round(nearness, 4), weight)


def _together(votes: Iterable[tuple[Code, float]]) -> dict[Code, float]:
    """Several votes for one code: each speaks to what the ones before it left open."""
    found: dict[Code, float] = {}
    for code, weight in votes:
        found[code] = 1 - (1 - found.get(code, 0.0)) * (1 - weight)
    return found


def _nearness(names: Sequence[str], vectoriser: Vectoriser) -> Floats:
    """How near the goods of each name are to those of each other, 0 to 1: the cosines of their runs of letters and of
    their words, and how rare the words are that both say."""
    weighed = [[_weighed(word, vectoriser) for word in filter(is_telling, raw_words(name))] for name in names]
    words = [list(chain.from_iterable(terms for terms, _ in each)) for each in weighed]
    runs = [list(chain.from_iterable(runs for _, runs in each)) for each in weighed]
    shared, cosines = _products(words)
    rare = np.minimum(1.0, shared / (_RARE_WORDS * vectoriser.rarest**2))
    near = _products(runs)[1] + _WORDS * cosines + _RARE * rare
    found: Floats = np.minimum(1.0, near).round(_EXACT)
    return found


def _products(said: Sequence[Sequence[tuple[str, float]]]) -> tuple[Floats, Floats]:
    """The product of each with each, and its cosine; what one says twice counts once."""
    columns: dict[str, int] = {}
    places = [columns.setdefault(term, len(columns)) for weights in said for term, _ in weights]
    rows = np.repeat(np.arange(len(said)), [len(weights) for weights in said])
    table = np.zeros((len(said), len(columns)))
    table[rows, places] = [weight for weights in said for _, weight in weights]
    products = table @ table.T
    lengths = np.sqrt(products.diagonal())
    return products, products / np.maximum(np.outer(lengths, lengths), 1e-9)


@lru_cache(maxsize=_WORDS_KEPT)
def _weighed(word: str, vectoriser: Vectoriser) -> tuple[_Weights, _Weights]:
    """What a word weighs, and its runs of letters: a shop's goods are called by few words, again and again."""
    runs = tuple((run, vectoriser.weight(f"l{run}")) for run in letter_runs(word) if len(run) == _RUN)
    return tuple(_terms(word, vectoriser)), runs


def _terms(word: str, vectoriser: Vectoriser) -> Iterator[tuple[str, float]]:
    yield stem(word), vectoriser.weight(f"w{stem(word)}")
    kept = skeleton(word)
    if kept is not None and len(kept) > 2:
        yield f"~{kept}", _SKELETON * vectoriser.weight(f"s{kept}")


def _rightness(between: Floats, codes: Sequence[Code]) -> float:
    """How often the nearest of the others has the right heading, over decisions that have another near; with a prior of
    two in four (Laplace), so that the first few decisions are heard and not believed."""
    others = between - np.diag(between.diagonal())
    asked = [place for place in range(len(codes)) if others[place].max() >= _NEAR]
    right = sum(codes[int(others[place].argmax())].heading == codes[place].heading for place in asked)
    return (right + _PRIOR_RIGHT) / (len(asked) + _PRIOR_RIGHT + _PRIOR_WRONG)
