"""Naive Bayes from lessons: what each code counts of each term. The trap: a code with many lessons being answered for
what no one said; how many lessons it has counts for nothing here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pcs.tariff.code import Code


def counted_by_code(
    matrix: sp.csr_matrix, codes: Sequence[Code | None], weights: npt.NDArray[np.float64]
) -> tuple[tuple[Code, ...], sp.csr_matrix]:
    """The codes of these lessons, one row of `matrix` each, in order, and what each counts of each term; lessons
    without a code teach nothing."""
    classes = tuple(sorted({code for code in codes if code is not None}))
    places = {code: place for place, code in enumerate(classes)}
    rows = [row for row, code in enumerate(codes) if code is not None]
    labels = [places[code] for code in codes if code is not None]
    members = sp.csr_matrix((weights[rows].astype(np.float32), (labels, rows)), shape=(len(classes), len(codes)))
    return classes, (members @ matrix).tocsr()
