"""Which class's goods use such terms most: multinomial naive Bayes over the vectoriser's weights. It learns from
counts alone, so it is sure of a word that few headings know, where a model that learns by its errors shares the credit.
A model is kept by term where all its classes are asked for, and by heading where those of one are.

Source: Rennie and others, "Tackling the poor assumptions of naive Bayes text classifiers", 2003, for the weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pcs.engine.arrays import Arrays, joined
from pcs.tariff.code import Code

Floats = npt.NDArray[np.float64]

_UNSAID = 0.003  # what a class counts for a term that none of its goods has; 0.001 to 0.03 are as good
_BITS = 5
_STEPS = (1 << _BITS) - 1  # weights are kept as one of 32 steps; with 255 no development set moves by half a point


@dataclass(frozen=True)
class NaiveBayes:
    """By how much each class's use of a term exceeds none, in logs: term `i` has `steps[starts[i]:starts[i + 1]]` of
    `scale` in the classes `columns` of the same places; `masses` is the log of what each class counts in all."""

    classes: tuple[Code, ...]
    starts: npt.NDArray[np.int32]
    columns: npt.NDArray[np.uint16]
    steps: npt.NDArray[np.uint8]
    scale: float
    masses: npt.NDArray[np.float32]

    def scores(self, query: sp.csr_matrix) -> Floats:
        """The log likelihood of a one-row query in each class but for what is the same in all, shape (classes,)."""
        said = self._used(query.indices) @ (query.data * np.float32(self.scale))
        found: Floats = said.astype(np.float64) - float(query.data.sum()) * self.masses
        return found

    def _used(self, terms: npt.NDArray[np.int32]) -> sp.csc_matrix:
        """The steps of these terms, one column each: only what is asked for takes the room of whole numbers."""
        starts, stops = self.starts[terms], self.starts[terms + 1]
        columns = joined(self.columns, starts, stops).astype(np.int32)
        steps = joined(self.steps, starts, stops).astype(np.float32)
        ends = np.concatenate([[0], np.cumsum(stops - starts)]).astype(np.int32)
        return sp.csc_matrix((steps, columns, ends), shape=(len(self.classes), len(terms)))

    def arrays(self, name: str) -> Arrays:
        """The model as plain arrays, to be stored under this name."""
        return {**_arrays(self, name), f"{name}.columns": self.columns, f"{name}.steps": self.steps}

    @classmethod
    def from_arrays(cls, arrays: Arrays, name: str) -> Self:
        """The model that `arrays()` stored under this name."""
        return cls(
            **_common(arrays, name),
            columns=arrays[f"{name}.columns"],
            steps=arrays[f"{name}.steps"],
        )


@dataclass(frozen=True)
class NaiveBayesBelow:
    """The same of classes below headings: the classes from `firsts[i]` up to `firsts[i + 1]` are those of a heading,
    whose uses of terms are `used[starts[i]:starts[i + 1]]`, in order of terms, each with its steps in the last bits;
    `whose` is the class of each, counted from the heading's first. What nobody said is not looked at, however much a
    heading uses."""

    classes: tuple[Code, ...]
    firsts: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int32]
    used: npt.NDArray[np.uint32]
    whose: npt.NDArray[np.uint16]
    scale: float
    masses: npt.NDArray[np.float32]

    def scores(self, said: sp.csr_matrix, total: float, part: slice) -> Floats:
        """The log likelihood of a one-row query, `total` its sum, in each class of a part of one heading's."""
        found: Floats = -total * self.masses[part].astype(np.float64)
        if not len(found):
            return found
        heading = int(self.firsts.searchsorted(part.start, "right")) - 1
        first, held = int(self.firsts[heading]), slice(self.starts[heading], self.starts[heading + 1])
        used = self.used[held]
        terms = said.indices.astype(np.uint32) << _BITS
        begins, ends = used.searchsorted(terms), used.searchsorted(terms | _STEPS, "right")
        sizes = ends - begins
        places = np.repeat(ends - np.cumsum(sizes), sizes) + np.arange(sizes.sum())
        weights = np.repeat(said.data, sizes) * (used[places] & _STEPS).astype(np.uint8)
        sums = np.bincount(self.whose[held][places], weights, minlength=part.stop - first)
        return found + self.scale * sums[part.start - first : part.stop - first]

    def arrays(self, name: str) -> Arrays:
        """The model as plain arrays, to be stored under this name."""
        return {
            **_arrays(self, name),
            **{f"{name}.{part}": getattr(self, part) for part in ("firsts", "used", "whose")},
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, name: str) -> Self:
        """The model that `arrays()` stored under this name."""
        return cls(
            **_common(arrays, name),
            firsts=arrays[f"{name}.firsts"],
            used=arrays[f"{name}.used"],
            whose=arrays[f"{name}.whose"],
        )


def naive_bayes(classes: tuple[Code, ...], counts: sp.csr_matrix) -> NaiveBayes:
    """From what each class counts of each term, shape (classes, terms)."""
    used = counts.tocsc()
    steps, scale = _steps(used.data)
    return NaiveBayes(
        classes,
        starts=used.indptr.astype(np.int32),
        columns=used.indices.astype(np.uint16),
        steps=steps.astype(np.uint8),
        scale=scale,
        masses=_masses(counts),
    )


def naive_bayes_below(classes: tuple[Code, ...], counts: sp.csr_matrix) -> NaiveBayesBelow:
    """The same, to be asked about the classes of a heading at a time."""
    steps, scale = _steps(counts.data)
    used = (counts.indices.astype(np.uint32) << _BITS) | steps
    headings = np.array([code.heading for code in classes])
    firsts = np.flatnonzero(np.append(True, headings[1:] != headings[:-1]) if len(classes) else [])
    firsts = np.append(firsts, len(classes))
    starts = counts.indptr[firsts]
    whose = np.repeat(np.arange(len(classes)) - np.repeat(firsts[:-1], np.diff(firsts)), np.diff(counts.indptr))
    order = np.concatenate([np.empty(0, dtype=np.intp), *map(_in_order, np.split(used, starts[1:-1]), starts)])
    return NaiveBayesBelow(
        classes,
        firsts=firsts.astype(np.int32),
        starts=starts.astype(np.int32),
        used=used[order],
        whose=whose[order].astype(np.uint16),
        scale=scale,
        masses=_masses(counts),
    )


def _in_order(used: npt.NDArray[np.uint32], start: int) -> npt.NDArray[np.intp]:
    return start + np.argsort(used, kind="stable")


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
        f"{name}.scale": np.array([model.scale]),
        f"{name}.masses": model.masses,
    }


def _common(arrays: Arrays, name: str) -> dict[str, Any]:
    """What `_arrays()` stored."""
    return {
        "classes": tuple(Code.shared(code.decode()) for code in arrays[f"{name}.classes"].tolist()),
        "starts": arrays[f"{name}.starts"],
        "scale": float(arrays[f"{name}.scale"][0]),
        "masses": arrays[f"{name}.masses"],
    }
