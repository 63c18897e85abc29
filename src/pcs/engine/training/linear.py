"""Linear models from lessons: one against the rest, squared hinge loss. The trap: keeping a million tiny weights; those
under the floor are left out; at 0.02 and 0.05 no development set moved by more than a point and a half at headings but
the smallest."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from pcs.engine.ranking.linear import LinearModel
from pcs.tariff.code import Code

_PENALTY = 0.4
_FLOOR = 0.03
_TOLERANCE = 0.1  # liblinear's own default for this solver; tighter takes several times as long
_REST = "rest"

Weights = npt.NDArray[np.float64]


def fit_linear(
    matrix: sp.csr_matrix, labels: Sequence[Code], weights: Weights, *, floor: float = _FLOOR, workers: int = 1
) -> LinearModel:
    """One score a label. Deterministic: liblinear's order is fixed by the seed, whatever the number of workers.

    One against the rest splits by class: each worker learns its share of the classes, all others being the rest.
    """
    classes = sorted(set(labels))
    if len(classes) == 1:
        empty = sp.csr_matrix((matrix.shape[1], 1), dtype=np.float32)
        return LinearModel(tuple(classes), empty, np.zeros(1, np.float32))
    shares = [classes[start::workers] for start in range(workers)]
    fitted = Parallel(n_jobs=workers)(delayed(_fit_share)(matrix, labels, weights, share, floor) for share in shares)
    order = np.argsort([code for share in shares for code in share])
    stacked = sp.hstack([part for part, _ in fitted]).tocsc()[:, order].tocsr()
    return LinearModel(tuple(classes), stacked, np.concatenate([bias for _, bias in fitted])[order])


def fit_lines(matrix: sp.csr_matrix, labels: Sequence[Code], weights: Weights) -> LinearModel:
    """One score a line, each heading's lines against each other only."""
    by_heading: dict[Code, list[int]] = {}
    for row, label in enumerate(labels):
        by_heading.setdefault(label.heading, []).append(row)
    parts = [
        fit_linear(matrix[rows], [labels[row] for row in rows], weights[rows], floor=2 * _FLOOR)
        for _, rows in sorted(by_heading.items())
    ]
    classes = tuple(code for part in parts for code in part.classes)
    stacked = sp.hstack([part.weights for part in parts]).tocsr()
    return LinearModel(classes, stacked, np.concatenate([part.bias for part in parts]))


def _fit_share(
    matrix: sp.csr_matrix, labels: Sequence[Code], weights: Weights, share: Sequence[Code], floor: float
) -> tuple[sp.csr_matrix, npt.NDArray[np.float32]]:
    """Weights and bias of these classes, in their order."""
    wanted = set(share)
    named = np.array([label if label in wanted else _REST for label in labels])
    machine = LinearSVC(C=_PENALTY, tol=_TOLERANCE, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", "The number of unique classes")  # a line with one good is still a class
        machine.fit(matrix, named, sample_weight=weights)
    coefficients, bias = machine.coef_, machine.intercept_
    if len(machine.classes_) == 2:
        coefficients, bias = np.vstack([-coefficients, coefficients]), np.concatenate([-bias, bias])
    places = [int(np.flatnonzero(machine.classes_ == code)[0]) for code in share]
    kept = np.where(np.abs(coefficients[places]) < floor, 0.0, coefficients[places]).astype(np.float32)
    return sp.csr_matrix(kept).T.tocsr(), bias[places].astype(np.float32)
