"""Which class's goods use such terms most: multinomial naive Bayes over the vectoriser's weights. It learns from
counts alone, so it is sure of a word that few headings know, where a model that learns by its errors shares the credit.
A model is kept by term where all its classes are asked for, and by heading where those of one are.

Source: Rennie and others, "Tackling the poor assumptions of naive Bayes text classifiers", 2003, for the weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from pcs.engine.arrays import Arrays, joined
from pcs.engine.retrieval.vectors import Vector
from pcs.tariff.code import Code

if TYPE_CHECKING:
    import scipy.sparse as sp  # slow to load, and only who counts needs it

Floats = npt.NDArray[np.float64]

_UNSAID = 0.003  # what a class counts for a term that none of its goods has; 0.001 to 0.03 are as good
_BITS = 5
_TOGETHER = 1 << 8  # classes below a heading that are kept together
_BELOW = 8 + _BITS  # the bits below a term's
_STEPS = (1 << _BITS) - 1  # weights are kept as one of 32 steps; with 255 no development set moves by half a point


@dataclass(frozen=True)
class NaiveBayes:
    """By how much each class's use of a term exceeds none, in logs: the uses of term `i` are `used[starts[i]:starts[i +
    1]]`, each the class that uses it and in the last bits its steps of `scale`; `masses` is the log of what each class
    counts in all."""

    classes: tuple[Code, ...]
    starts: npt.NDArray[np.int32]
    used: npt.NDArray[np.unsignedinteger]
    scale: float
    masses: npt.NDArray[np.float32]

    def scores(self, query: Vector) -> Floats:
        """The log likelihood of a query in each class but for what is the same in all, shape (classes,)."""
        starts, stops = self.starts[query.indices], self.starts[query.indices + 1]
        uses = joined(self.used, starts, stops)
        weights = (query.data * np.float32(self.scale)).repeat(stops - starts) * (uses & _STEPS)
        said = np.zeros(len(self.classes), dtype=np.float32)
        np.add.at(said, uses >> _BITS, weights)
        found: Floats = said.astype(np.float64) - float(query.data.sum()) * self.masses
        return found

    def arrays(self, name: str) -> Arrays:
        """The model as plain arrays, to be stored under this name."""
        return _arrays(self, name)

    @classmethod
    def from_arrays(cls, arrays: Arrays, name: str) -> Self:
        """The model that `arrays()` stored under this name."""
        return cls(**_common(arrays, name))


@dataclass(frozen=True)
class NaiveBayesBelow:
    """The same of classes below headings. The classes from `firsts[i]` up to `firsts[i + 1]` are those of a heading, or
    256 of them; their uses of terms are `used[starts[i]:starts[i + 1]]`, in order of terms: a term, the class that uses
    it, counted from the first, and in the last bits its steps. What nobody said is not looked at, however much a
    heading uses."""

    classes: tuple[Code, ...]
    firsts: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int32]
    used: npt.NDArray[np.unsignedinteger]
    scale: float
    masses: npt.NDArray[np.float32]

    def scores(self, said: Vector, total: float, part: slice) -> Floats:
        """The log likelihood of a query, `total` its sum, in each of these classes, those of one heading."""
        found: Floats = -total * self.masses[part].astype(np.float64)
        if not len(found):
            return found
        first, last = (self.firsts.searchsorted([part.start, part.stop - 1], "right") - 1).tolist()
        sums = np.concatenate([self._sums(said, group) for group in range(first, last + 1)])
        begin = part.start - int(self.firsts[first])
        return found + self.scale * sums[begin : begin + len(found)]

    def _sums(self, said: Vector, group: int) -> Floats:
        """What the terms that were said weigh in each class of a group, in steps."""
        used = self.used[self.starts[group] : self.starts[group + 1]]
        begin = said.indices.astype(used.dtype) << _BELOW
        stops = used.searchsorted(begin + used.dtype.type(1 << _BELOW))
        sizes = stops - used.searchsorted(begin)
        ends = sizes.cumsum()
        uses = used[(stops - ends).repeat(sizes) + np.arange(sizes.sum())]
        weights = said.data.repeat(sizes) * (uses & _STEPS)
        size = int(self.firsts[group + 1] - self.firsts[group])
        found: Floats = np.bincount((uses >> _BITS) & (_TOGETHER - 1), weights, size).astype(np.float64, copy=False)
        return found

    def arrays(self, name: str) -> Arrays:
        """The model as plain arrays, to be stored under this name."""
        return {**_arrays(self, name), f"{name}.firsts": self.firsts}

    @classmethod
    def from_arrays(cls, arrays: Arrays, name: str) -> Self:
        """The model that `arrays()` stored under this name."""
        return cls(**_common(arrays, name), firsts=arrays[f"{name}.firsts"])


def naive_bayes(classes: tuple[Code, ...], counts: sp.csr_matrix) -> NaiveBayes:
    """From what each class counts of each term, shape (classes, terms)."""
    by_term = counts.tocsc()
    steps, scale = _steps(by_term.data)
    used = (by_term.indices.astype(np.uint32) << _BITS) | steps
    return NaiveBayes(
        classes,
        starts=by_term.indptr.astype(np.int32),
        used=used.astype(np.min_scalar_type(len(classes) << _BITS)),
        scale=scale,
        masses=_masses(counts),
    )


def naive_bayes_below(classes: tuple[Code, ...], counts: sp.csr_matrix) -> NaiveBayesBelow:
    """The same, to be asked about the classes of a heading at a time."""
    steps, scale = _steps(counts.data)
    firsts = _groups(classes)
    starts = counts.indptr[firsts]
    whose = np.repeat(np.arange(len(classes)) - np.repeat(firsts[:-1], np.diff(firsts)), np.diff(counts.indptr))
    all_bits = (counts.indices.astype(np.uint64) << _BELOW) | (whose.astype(np.uint64) << _BITS) | steps
    used = all_bits.astype(np.uint32) if counts.shape[1] < 1 << (32 - _BELOW) else all_bits
    for start, stop in pairwise(starts.tolist()):
        used[start:stop].sort()
    return NaiveBayesBelow(
        classes,
        firsts=firsts.astype(np.int32),
        starts=starts.astype(np.int32),
        used=used,
        scale=scale,
        masses=_masses(counts),
    )


def _groups(classes: Sequence[Code]) -> npt.NDArray[np.intp]:
    """Where each heading's classes begin, or 256 of them, and where the last end."""
    firsts = [0]
    for place, (one, other) in enumerate(pairwise(classes), start=1):
        if one.heading != other.heading or place - firsts[-1] == _TOGETHER:
            firsts.append(place)
    return np.array([*firsts, len(classes)])


def _steps(counts: npt.NDArray[np.floating]) -> tuple[npt.NDArray[np.uint32], float]:
    """What each count weighs, in steps, and what a step is."""
    weights = np.log(counts.astype(np.float32) / np.float32(_UNSAID) + 1)
    scale = float(weights.max(initial=1e-9)) / _STEPS
    return np.round(weights / np.float32(scale)).astype(np.uint32), scale


def _masses(counts: sp.csr_matrix) -> npt.NDArray[np.float32]:
    totals = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    masses: npt.NDArray[np.float32] = np.log(totals + _UNSAID * counts.shape[1]).astype(np.float32)
    return masses


def _arrays(model: NaiveBayes | NaiveBayesBelow, name: str) -> Arrays:
    return {
        f"{name}.classes": np.array(model.classes, dtype="S10"),
        f"{name}.starts": model.starts,
        f"{name}.used": model.used,
        f"{name}.scale": np.array([model.scale]),
        f"{name}.masses": model.masses,
    }


def _common(arrays: Arrays, name: str) -> dict[str, Any]:
    """What `_arrays()` stored."""
    return {
        "classes": tuple(Code.shared(code.decode()) for code in arrays[f"{name}.classes"].tolist()),
        "starts": arrays[f"{name}.starts"],
        "used": arrays[f"{name}.used"],
        "scale": float(arrays[f"{name}.scale"][0]),
        "masses": arrays[f"{name}.masses"],
    }
