"""Learned numbers as few whole steps. The trap: each rounded to its nearest, when the terms of one word always come
together and their errors add up; here each makes up for what those beside it lost, and moves by less than a step.

Source: water-filling, Cover and Thomas, "Elements of Information Theory", 2006, for what a step may be; coordinate
descent on rounded least squares for the rest."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pcs.engine.learned import SharedWeights
from pcs.engine.retrieval.vocabulary import Vocabulary
from pcs.engine.training.shared import Fitted

Floats = npt.NDArray[np.float32]

# Chosen by the size of the file and how far it moves the hidden units; ADR 12 has what others cost.
_STEP = 0.15  # of a term of middling use
_BY_USE = -0.35  # how the step falls with a term's use; -0.5 would be right if goods to come used terms as lessons do
_SWEEPS = 2
_MOST = 127  # steps in a signed byte
_NOTHING = 1e-9  # of a term that is new, and has learned nothing yet


def rounded(fitted: Fitted, vocabulary: Vocabulary, matrix: sp.csr_matrix) -> SharedWeights:
    """The model in steps and by names, so that the hidden units of the lessons, the rows of `matrix`, change least."""
    told = matrix[:, fitted.columns].tocsc()
    steps = _steps(fitted.units, np.asarray(told.multiply(told).sum(axis=0), dtype=np.float64).ravel())
    units = _units(fitted.units, steps[:, None], told)
    terms = [vocabulary.term(column) for column in fitted.columns.tolist()]
    return SharedWeights(terms, units, steps, fitted.bias, fitted.headings, fitted.subheadings)


def unrounded(shared: SharedWeights, vocabulary: Vocabulary) -> Fitted:
    """A model as learning can go on from it, over the columns of a vocabulary; terms that it has not are left out."""
    placed = [(column, row) for row, term in enumerate(shared.terms) if (column := vocabulary.get(term)) is not None]
    columns, rows = (np.array(side, dtype=np.intp) for side in zip(*placed, strict=True))
    units = shared.units[rows].astype(np.float32) * shared.steps[rows, None]
    return Fitted(columns, units, shared.bias, shared.headings, shared.subheadings)


def _steps(units: Floats, use: npt.NDArray[np.float64]) -> Floats:
    """Each row's step, a power of the square root of two: the more a term is used the finer."""
    wanted = _STEP * (use / np.median(use)) ** _BY_USE
    least = np.maximum(np.abs(units).max(axis=1), _NOTHING) / _MOST
    powers = np.maximum(np.round(2 * np.log2(wanted)), np.ceil(2 * np.log2(least)))
    found: Floats = (2.0 ** (powers / 2)).astype(np.float16).astype(np.float32)
    return found


def _units(meant: Floats, steps: Floats, told: sp.csc_matrix) -> npt.NDArray[np.int8]:
    """`meant` in steps, one row after the other towards the least squares of what the lessons lose."""
    units = np.round(meant / steps)
    lost = np.asarray(told @ (meant - units * steps))
    lowest, highest = np.ceil(meant / steps - 1), np.floor(meant / steps + 1)
    for _ in range(_SWEEPS):
        for row, step in enumerate(steps):
            part = slice(told.indptr[row], told.indptr[row + 1])
            lessons, weights = told.indices[part], told.data[part]
            here = lost[lessons]
            better = np.round(units[row] + weights @ here / (step * (weights @ weights)))
            change = np.clip(better, lowest[row], highest[row]) - units[row]
            units[row] += change
            lost[lessons] = here - np.outer(weights, step * change)
    return np.clip(units, -_MOST, _MOST).astype(np.int8)
