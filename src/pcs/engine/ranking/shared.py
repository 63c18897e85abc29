"""A model in which headings share what they learn: terms to hidden units, hidden units to headings and to subheadings.
Beside naive Bayes, which learns each heading apart, it carries what one heading taught over to its like. The trap:
numbers that differ in their last bits from machine to machine; what comes out is rounded where it is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pcs.engine.retrieval.vectors import Arrays
from pcs.tariff.code import Code

Floats = npt.NDArray[np.float32]
UNSEEN = -12.0  # the log probability of a class that no lesson was of
_STEPS = 127


@dataclass(frozen=True)
class Outputs:
    """From hidden units to classes: `weights` has shape (units, classes), `bias` (classes,)."""

    classes: tuple[Code, ...]
    weights: Floats
    bias: Floats

    def scores(self, hidden: Floats) -> Floats:
        """The score of each class."""
        found: Floats = hidden @ self.weights + self.bias
        return found

    def arrays(self, name: str) -> dict[str, npt.NDArray[np.generic]]:
        """As plain arrays, to be stored under this name."""
        return {
            f"{name}.classes": np.array(self.classes, dtype="S6"),
            f"{name}.weights": self.weights.astype(np.float16),
            f"{name}.bias": self.bias.astype(np.float16),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, name: str) -> Self:
        """What `arrays()` stored under this name."""
        classes = tuple(Code(code.decode()) for code in arrays[f"{name}.classes"])
        return cls(classes, arrays[f"{name}.weights"].astype(np.float32), arrays[f"{name}.bias"].astype(np.float32))


@dataclass(frozen=True)
class SharedModel:
    """`places` gives each column of a text vector its row in `units`, or -1; `units` are signed bytes, each row with
    its scale; `bias` has one number a hidden unit."""

    places: npt.NDArray[np.int32]
    units: npt.NDArray[np.int8]
    scales: Floats
    bias: Floats
    headings: Outputs
    subheadings: Outputs

    def hidden(self, query: sp.csr_matrix) -> Floats:
        """The hidden units of a one-row query, shape (units,), none below zero."""
        rows = self.places[query.indices]
        known = rows >= 0
        rows, values = rows[known], query.data[known]
        total: Floats = (values * self.scales[rows]) @ self.units[rows].astype(np.float32) + self.bias
        return np.maximum(total, 0.0)

    def arrays(self, name: str) -> dict[str, npt.NDArray[np.generic]]:
        """The model as plain arrays, to be stored under this name."""
        return {
            f"{name}.places": np.flatnonzero(self.places >= 0).astype(np.int32),
            f"{name}.width": np.array([len(self.places)], dtype=np.int32),
            f"{name}.units": self.units,
            f"{name}.scales": self.scales.astype(np.float16),
            f"{name}.bias": self.bias.astype(np.float16),
            **self.headings.arrays(f"{name}.headings"),
            **self.subheadings.arrays(f"{name}.subheadings"),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, name: str) -> Self:
        """The model that `arrays()` stored under this name."""
        return cls(
            places=_places(arrays[f"{name}.places"], int(arrays[f"{name}.width"][0])),
            units=arrays[f"{name}.units"].astype(np.int8, copy=False),
            scales=arrays[f"{name}.scales"].astype(np.float32),
            bias=arrays[f"{name}.bias"].astype(np.float32),
            headings=Outputs.from_arrays(arrays, f"{name}.headings"),
            subheadings=Outputs.from_arrays(arrays, f"{name}.subheadings"),
        )


def shared_model(
    columns: npt.NDArray[np.generic], width: int, units: Floats, bias: Floats, outputs: Sequence[Outputs]
) -> SharedModel:
    """From trained numbers, `units` of shape (columns, hidden units); the units are rounded to signed bytes."""
    scales = (np.maximum(np.abs(units).max(axis=1), 1e-6) / _STEPS).astype(np.float16).astype(np.float32)
    rounded = np.clip(np.round(units / scales[:, None]), -_STEPS, _STEPS).astype(np.int8)
    headings, subheadings = outputs
    return SharedModel(_places(columns, width), rounded, scales, bias, headings, subheadings)


def _places(columns: npt.NDArray[np.generic], width: int) -> npt.NDArray[np.int32]:
    places = np.full(width, -1, dtype=np.int32)
    places[columns] = np.arange(len(columns), dtype=np.int32)
    return places
