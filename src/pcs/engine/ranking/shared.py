"""A model in which headings share what they learn: terms to hidden units, hidden units to headings and to subheadings.
Beside naive Bayes, which learns each heading apart, it carries what one heading taught over to its like. The trap:
numbers that differ in their last bits from machine to machine; what comes out is rounded where it is compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from pcs.engine.arrays import Arrays
from pcs.engine.retrieval.vectors import Vector
from pcs.tariff.code import Code

Floats = npt.NDArray[np.float32]
UNSEEN = -12.0  # the log probability of a class that no lesson was of
_NEVER = -1e4  # the score of such a class


@dataclass(frozen=True)
class Outputs:
    """From hidden units to classes: `weights` has shape (units, classes), `bias` (classes,)."""

    classes: tuple[Code, ...]
    weights: Floats
    bias: Floats

    def scores(self, hidden: Floats, part: slice = slice(None)) -> Floats:
        """The score of each class, or of each of a part of them."""
        found: Floats = hidden @ self.weights[:, part] + self.bias[part]
        return found

    def over(self, classes: Sequence[Code]) -> Self:
        """The same over these classes; one that was not learned is never answered."""
        places = {code: place for place, code in enumerate(self.classes)}
        known = [(place, places[code]) for place, code in enumerate(classes) if code in places]
        there, here = (list(side) for side in zip(*known, strict=True)) if known else ([], [])
        weights = np.zeros((len(self.weights), len(classes)), dtype=np.float32)
        bias = np.full(len(classes), _NEVER, dtype=np.float32)
        weights[:, there], bias[there] = self.weights[:, here], self.bias[here]
        return type(self)(tuple(classes), weights, bias)

    def arrays(self, name: str) -> Arrays:
        """As plain arrays, to be stored under this name; its classes are the models'."""
        return {f"{name}.weights": self.weights, f"{name}.bias": self.bias}

    @classmethod
    def from_arrays(cls, arrays: Arrays, name: str, classes: tuple[Code, ...]) -> Self:
        """What `arrays()` stored under this name."""
        return cls(classes, arrays[f"{name}.weights"], arrays[f"{name}.bias"])


@dataclass(frozen=True)
class SharedModel:
    """`places` gives each column of a text vector its row in `units`, or -1; `units` count steps, each
    row its own of `steps`; `bias` has one number a hidden unit."""

    places: npt.NDArray[np.int32]
    units: npt.NDArray[np.int8]
    steps: Floats
    bias: Floats
    headings: Outputs
    subheadings: Outputs

    def hidden(self, query: Vector) -> Floats:
        """The hidden units of a query, shape (units,), none below zero."""
        rows = self.places[query.indices]
        known = rows >= 0
        rows, values = rows[known], query.data[known]
        total: Floats = (values * self.steps[rows]) @ self.units[rows].astype(np.float32) + self.bias
        above: Floats = np.maximum(total, 0.0)
        return above

    def arrays(self, name: str) -> Arrays:
        """The model as plain arrays, to be stored under this name."""
        return {
            f"{name}.places": self.places,
            f"{name}.units": self.units,
            f"{name}.steps": self.steps,
            f"{name}.bias": self.bias,
            **self.headings.arrays(f"{name}.headings"),
            **self.subheadings.arrays(f"{name}.subheadings"),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, name: str, headings: tuple[Code, ...], subheadings: tuple[Code, ...]) -> Self:
        """The model that `arrays()` stored under this name, for these classes."""
        return cls(
            places=arrays[f"{name}.places"],
            units=arrays[f"{name}.units"],
            steps=arrays[f"{name}.steps"],
            bias=arrays[f"{name}.bias"],
            headings=Outputs.from_arrays(arrays, f"{name}.headings", headings),
            subheadings=Outputs.from_arrays(arrays, f"{name}.subheadings", subheadings),
        )
