"""Linear models from lessons: one against the rest, squared hinge loss. The traps: keeping a million tiny weights, so
those under the floor are left out; and fitting a thousand classes each against every lesson, most of which no one would
take for it, so a heading learns from its rivals' lessons and a share of the rest that counts for all of it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from pcs.engine.ranking.linear import LinearModel
from pcs.tariff.code import Code

_PENALTY = 0.4
_FLOOR = 0.03  # at 0.02 and 0.05 no development set moved by more than a point and a half at headings but the smallest
_TOLERANCE = 0.1  # liblinear's own default for this solver; tighter takes several times as long
_REST = 0.3  # share of the lessons that are no rivals; at 0.1 the development sets stay within two points
_LOTS = 1_000

Weights = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
Fitted = tuple[sp.csr_matrix, float]


def fit_headings(
    matrix: sp.csr_matrix,
    labels: Sequence[Code],
    weights: Weights,
    rivals: npt.NDArray[np.int32],
    *,
    workers: int = 1,
) -> LinearModel:
    """One score a heading. `rivals` names, for each lesson, the headings it could be taken for, as places in the sorted
    headings, shape (lessons, some number). Deterministic, whatever the number of workers.
    """
    classes = sorted(set(labels))
    places = {code: place for place, code in enumerate(classes)}
    targets = np.array([places[label] for label in labels])
    lots = np.random.default_rng(0).integers(0, _LOTS, len(targets))
    near = _by_class(rivals, len(classes))
    double = matrix.astype(np.float64)
    shares = [{number: near[number] for number in range(start, len(classes), workers)} for start in range(workers)]
    parts = Parallel(n_jobs=workers)(delayed(_fit_share)(double, targets, weights, lots, share) for share in shares)
    fitted = {number: found for part in parts for number, found in part.items()}
    return _stacked(classes, [fitted[number] for number in range(len(classes))])


def fit_lines(matrix: sp.csr_matrix, labels: Sequence[Code], weights: Weights) -> LinearModel:
    """One score a line, each heading's lines against each other only."""
    by_heading: dict[Code, list[int]] = {}
    for row, label in enumerate(labels):
        by_heading.setdefault(label.heading, []).append(row)
    classes: list[Code] = []
    fitted: list[Fitted] = []
    for _, rows in sorted(by_heading.items()):
        ours = np.array([labels[row] for row in rows])
        inside = sorted({labels[row] for row in rows})
        part = matrix[rows].astype(np.float64)
        classes += inside
        if len(inside) == 1:
            fitted.append((sp.csr_matrix((1, matrix.shape[1]), dtype=np.float32), 0.0))
        else:
            fitted += [_fit(part, ours == code, weights[rows], 2 * _FLOOR) for code in inside]
    return _stacked(classes, fitted)


def _by_class(rivals: npt.NDArray[np.int32], classes: int) -> list[Places]:
    """For each class, the lessons that name it as a rival."""
    order = np.argsort(rivals.ravel(), kind="stable")
    cuts = np.searchsorted(rivals.ravel()[order], np.arange(1, classes))
    return [np.sort(part) for part in np.split(order // rivals.shape[1], cuts)]


def _fit_share(
    matrix: sp.csr_matrix, targets: Places, weights: Weights, lots: Places, share: Mapping[int, Places]
) -> dict[int, Fitted]:
    """The classes of one worker, each with the lessons that name it as a rival."""
    fitted = {}
    for number, near in share.items():
        rows, own, importance = _rows(number, targets, near, lots, weights)
        fitted[number] = _fit(matrix[rows], own, importance, _FLOOR)
    return fitted


def _rows(
    number: int, targets: Places, near: Places, lots: Places, weights: Weights
) -> tuple[Places, npt.NDArray[np.bool_], Weights]:
    """The lessons that a class learns from, which of them are its own, and their weights."""
    importance = np.zeros(len(targets))
    drawn = (lots + 37 * number) % _LOTS < _REST * _LOTS
    importance[drawn] = weights[drawn] / _REST
    importance[near] = weights[near]
    own = targets == number
    importance[own] = weights[own]
    rows = np.flatnonzero(importance)
    return rows, own[rows], importance[rows]


def _fit(matrix: sp.csr_matrix, right: npt.NDArray[np.bool_], weights: Weights, floor: float) -> Fitted:
    """Weights, shape (1, width), and bias of one class against the rest."""
    machine = LinearSVC(C=_PENALTY, tol=_TOLERANCE, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(matrix, right, sample_weight=weights)
    found = machine.coef_[0]
    return sp.csr_matrix(np.where(np.abs(found) < floor, 0.0, found).astype(np.float32)), float(machine.intercept_[0])


def _stacked(classes: Sequence[Code], fitted: Iterable[Fitted]) -> LinearModel:
    weights, bias = zip(*fitted, strict=True)
    return LinearModel(tuple(classes), sp.vstack(weights).T.tocsr(), np.array(bias, dtype=np.float32))
