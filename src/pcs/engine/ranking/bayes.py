"""Which heading's goods use such terms most: multinomial naive Bayes over the vectoriser's weights. It learns from
counts alone, so it is sure of a word that few headings know, where a model that learns by its errors shares the credit.

Source: Rennie and others, "Tackling the poor assumptions of naive Bayes text classifiers", 2003, for the weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pcs.engine.retrieval.vectors import Arrays
from pcs.tariff.code import Code

Floats = npt.NDArray[np.float64]

_UNSAID = 0.003  # what a heading counts for a term that none of its goods has; 0.001 to 0.03 are as good
_STEPS = 31  # weights are kept as one of 32 steps; with 255 no development set moves by half a point


@dataclass(frozen=True)
class NaiveBayes:
    """`weights` has one row a term and one column a class: by how much the class's use of it exceeds none, in logs;
    `masses` is the log of what each class counts in all."""

    classes: tuple[Code, ...]
    weights: sp.csr_matrix
    masses: npt.NDArray[np.float32]

    def scores(self, query: sp.csr_matrix) -> Floats:
        """The log likelihood of a one-row query in each class but for what is the same in all, shape (classes,)."""
        said = np.asarray((query @ self.weights).todense(), dtype=np.float64)[0]
        found: Floats = said - float(query.data.sum()) * self.masses
        return found

    def arrays(self, name: str) -> dict[str, npt.NDArray[np.generic]]:
        """The model as plain arrays, to be stored under this name; weights as bytes with one scale."""
        scale = float(self.weights.data.max(initial=1e-9)) / _STEPS
        return {
            f"{name}.classes": np.array(self.classes, dtype="S10"),
            f"{name}.starts": self.weights.indptr.astype(np.int32),
            f"{name}.gaps": _gaps(self.weights),  # from one column to the next: small numbers take less room
            f"{name}.steps": np.round(self.weights.data / scale).astype(np.uint8),
            f"{name}.scale": np.array([scale], dtype=np.float32),
            f"{name}.masses": self.masses.astype(np.float32),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, name: str) -> Self:
        """The model that `arrays()` stored under this name."""
        classes = tuple(Code(code.decode()) for code in arrays[f"{name}.classes"])
        starts = arrays[f"{name}.starts"]
        data = arrays[f"{name}.steps"].astype(np.float32) * arrays[f"{name}.scale"][0]
        columns = np.cumsum(arrays[f"{name}.gaps"], dtype=np.uint16).astype(np.int32)
        shape = (len(starts) - 1, len(classes))
        weights = sp.csr_matrix((data, columns, starts), shape=shape)
        return cls(classes, weights, arrays[f"{name}.masses"].astype(np.float32))


def _gaps(weights: sp.csr_matrix) -> npt.NDArray[np.uint16]:
    """From each column to the next, over the ends of rows too, as 16 bits that wrap around."""
    gaps: npt.NDArray[np.uint16] = np.diff(weights.indices.astype(np.uint16), prepend=np.uint16(0))
    return gaps


def naive_bayes(classes: tuple[Code, ...], counts: sp.csr_matrix) -> NaiveBayes:
    """From what each class counts of each term, shape (classes, terms)."""
    weights = counts.T.tocsr().astype(np.float32)
    weights.sort_indices()
    weights.data = np.log(weights.data / np.float32(_UNSAID) + 1)
    totals = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    masses = np.log(totals + _UNSAID * counts.shape[1])
    return NaiveBayes(classes, weights, masses.astype(np.float32))
