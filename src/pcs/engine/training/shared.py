"""The shared model from lessons: one hidden layer, two softmax outputs, Adagrad, terms left out at random so that no
answer hangs on one word. The trap: a lesson whose subheading is not known; it teaches its heading alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pcs.engine.ranking.shared import Outputs
from pcs.tariff.code import Code

Floats = npt.NDArray[np.float32]

# Chosen among a few by accuracy on the development sets; half or twice of each changes little.
_UNITS = 96
_RAREST = 5  # a term in fewer lessons carries little over, and each takes its units
_ROUNDS = 8
_BATCH = 512
_RATE = 0.05
_LEFT_OUT = 0.3  # share of a lesson's terms
_SUBHEADINGS = 0.7  # weight of their loss beside the headings'
_START = 1e-3  # what Adagrad's sums of squares start from
# The same where learning goes on from a model: one round of small steps, which takes in what changed and moves the rest
# little. A rate of 0.01 moves goods of other languages by more than it brings.
_ROUNDS_ON, _RATE_ON, _START_ON = 1, 0.004, 1.0


@dataclass
class _Weights:
    """Numbers under training, with the sum of squared slopes of each (of each row where `by_row`)."""

    values: Floats
    squares: Floats

    @classmethod
    def of(cls, values: Floats, start: float, *, by_row: bool = False) -> _Weights:
        shape = (len(values), 1) if by_row else values.shape
        return cls(values.astype(np.float32), np.full(shape, start, dtype=np.float32))

    def step(self, slope: Floats, rate: float) -> None:
        self.squares += slope * slope
        self.values -= rate * slope / np.sqrt(self.squares)

    def step_rows(self, rows: npt.NDArray[np.intp], slope: Floats, rate: float) -> None:
        self.squares[rows] += (slope * slope).mean(axis=1, keepdims=True)
        self.values[rows] -= rate * slope / np.sqrt(self.squares[rows])


class _Output:
    """A softmax over classes on top of the hidden units."""

    def __init__(self, labels: Sequence[Code | None], before: Outputs | None) -> None:
        self.classes = tuple(sorted({label for label in labels if label is not None}))
        places = {code: place for place, code in enumerate(self.classes)}
        self.targets = np.array([places[label] if label is not None else -1 for label in labels])
        if before is None:
            self.weights = _Weights.of(np.zeros((_UNITS, len(self.classes)), dtype=np.float32), _START)
            self.bias = _Weights.of(np.zeros(len(self.classes), dtype=np.float32), _START)
        else:
            known = before.over(self.classes)
            self.weights, self.bias = _Weights.of(known.weights, _START_ON), _Weights.of(known.bias, _START_ON)

    def learn(
        self, hidden: Floats, rows: npt.NDArray[np.intp], importance: Floats, rate: float
    ) -> tuple[npt.NDArray[np.intp], Floats]:
        """One step on the lessons of these rows; the rows of `hidden` that were used and their slope."""
        used = np.flatnonzero(self.targets[rows] >= 0)
        inside = hidden[used]
        scores = inside @ self.weights.values + self.bias.values
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        shares[np.arange(len(used)), self.targets[rows[used]]] -= 1
        shares *= importance[rows[used], None]
        back: Floats = shares @ self.weights.values.T
        self.weights.step(inside.T @ shares, rate)
        self.bias.step(shares.sum(axis=0), rate)
        return used, back

    def finished(self) -> Outputs:
        return Outputs(self.classes, self.weights.values, self.bias.values)


@dataclass(frozen=True)
class Fitted:
    """What was learned, in full precision: the units of these columns, shape (columns, hidden units), and the rest."""

    columns: npt.NDArray[np.intp]
    units: Floats
    bias: Floats
    headings: Outputs
    subheadings: Outputs

    def over(self, columns: npt.NDArray[np.intp]) -> Floats:
        """The units of these columns; of those that it has not, nothing."""
        places = {column: place for place, column in enumerate(self.columns.tolist())}
        found = np.zeros((len(columns), self.units.shape[1]), dtype=np.float32)
        for row, column in enumerate(columns.tolist()):
            if column in places:
                found[row] = self.units[places[column]]
        return found


def fit_shared(
    matrix: sp.csr_matrix,
    headings: Sequence[Code],
    subheadings: Sequence[Code | None],
    weights: npt.NDArray[np.float64],
    before: Fitted | None = None,
) -> Fitted:
    """The model of these lessons, one row of `matrix` each. The same lessons give the same model on the same machine;
    `before` is a model, over columns of the same matrix, from which learning goes on.

    Source: Joulin and others, "Bag of Tricks for Efficient Text Classification", 2017; Duchi, Hazan and Singer, 2011.
    """
    columns = np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[1]) >= _RAREST)
    told = matrix[:, columns].astype(np.float32)
    chance = np.random.default_rng(0)
    known: tuple[Outputs | None, Outputs | None]
    if before is None:
        rounds, fastest, sums, known = _ROUNDS, _RATE, _START, (None, None)
        begun = 0.3 * chance.standard_normal((len(columns), _UNITS), dtype=np.float32)
        level = np.zeros(_UNITS, dtype=np.float32)
    else:
        rounds, fastest, sums, known = _ROUNDS_ON, _RATE_ON, _START_ON, (before.headings, before.subheadings)
        begun, level = before.over(columns), before.bias
    units, bias = _Weights.of(begun, sums, by_row=True), _Weights.of(level, sums)
    outputs = (_Output(headings, known[0]), _Output(subheadings, known[1]))
    importances = (weights.astype(np.float32), (_SUBHEADINGS * weights).astype(np.float32))
    for turn in range(rounds):
        rate = fastest * (1 - turn / rounds)
        order = chance.permutation(told.shape[0])
        for start in range(0, len(order), _BATCH):
            rows = order[start : start + _BATCH]
            batch = told[rows]
            batch.data *= (chance.random(batch.nnz) >= _LEFT_OUT) / np.float32(1 - _LEFT_OUT)
            entered = batch @ units.values + bias.values
            hidden = np.maximum(entered, 0)
            slope = np.zeros_like(hidden)
            for output, importance in zip(outputs, importances, strict=True):
                used, back = output.learn(hidden, rows, importance, rate)
                slope[used] += back
            slope *= entered > 0
            bias.step(slope.sum(axis=0), rate)
            touched = batch.tocsc()
            present = np.flatnonzero(np.diff(touched.indptr))
            units.step_rows(present, touched[:, present].T @ slope, rate)
    return Fitted(columns, units.values, bias.values, *(output.finished() for output in outputs))
