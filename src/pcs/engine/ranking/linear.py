"""A linear model over sparse text vectors: one score a class. The trap: a dense matrix of features by classes would
take a gigabyte; the small weights are left out in training and what is left is kept sparse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pcs.tariff.code import Code

Floats = npt.NDArray[np.float32]
Arrays = Mapping[str, npt.NDArray[np.generic]]

_STEPS = 127  # weights are kept as signed bytes; the rounding is far below what pruning leaves out


@dataclass(frozen=True)
class LinearModel:
    """`weights` has one row a feature and one column a class; `bias` one number a class."""

    classes: tuple[Code, ...]
    weights: sp.csr_matrix
    bias: Floats

    def scores(self, query: sp.csr_matrix) -> Floats:
        """The score of each class for a one-row query, shape (classes,)."""
        found: Floats = np.asarray((query @ self.weights).todense(), dtype=np.float32)[0]
        return found + self.bias

    def arrays(self, name: str) -> dict[str, npt.NDArray[np.generic]]:
        """The model as plain arrays, to be stored under this name; weights as bytes with one scale."""
        scale = float(np.abs(self.weights.data).max(initial=1e-9)) / _STEPS
        return {
            f"{name}.classes": np.array(self.classes, dtype="S10"),
            f"{name}.starts": self.weights.indptr.astype(np.int32),
            f"{name}.columns": self.weights.indices.astype(np.uint16),
            f"{name}.steps": np.round(self.weights.data / scale).astype(np.int8),
            f"{name}.scale": np.array([scale], dtype=np.float32),
            f"{name}.bias": self.bias.astype(np.float32),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, name: str) -> Self:
        """The model that `arrays()` stored under this name."""
        classes = tuple(Code(code.decode()) for code in arrays[f"{name}.classes"])
        starts = arrays[f"{name}.starts"]
        data = arrays[f"{name}.steps"].astype(np.float32) * arrays[f"{name}.scale"][0]
        shape = (len(starts) - 1, len(classes))
        weights = sp.csr_matrix((data, arrays[f"{name}.columns"].astype(np.int32), starts), shape=shape)
        return cls(classes, weights, arrays[f"{name}.bias"].astype(np.float32))
