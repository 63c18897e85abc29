"""Counts lessons: what each code has of each term, and the goods. The trap: a code with many lessons being answered for
what no one said; how many lessons it has counts for nothing here.

It loads SciPy's sparse matrices, which takes a third of a second; only who counts imports it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pcs.engine.counting.counted import Counted
from pcs.engine.counting.lessons import Lesson
from pcs.engine.ranking.bayes import naive_bayes, naive_bayes_below
from pcs.engine.retrieval.goods import taught_goods
from pcs.engine.retrieval.vectors import Vectoriser
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName


def count(lessons: Sequence[Lesson], vectoriser: Vectoriser, matrix: sp.csr_matrix) -> Counted:
    """Count these lessons, one row of `matrix` each."""
    weights = np.array([lesson.weight for lesson in lessons])
    headings = naive_bayes(*counted_by_code(matrix, [lesson.heading for lesson in lessons], weights))
    places = np.searchsorted(np.array(headings.classes), np.array([lesson.heading for lesson in lessons]))
    return Counted(
        vectoriser,
        headings,
        naive_bayes_below(*counted_by_code(matrix, [lesson.subheading for lesson in lessons], weights)),
        {
            name: naive_bayes_below(*counted_by_code(matrix, [line_of(lesson, name) for lesson in lessons], weights))
            for name in ScheduleName
        },
        taught_goods(matrix, vectoriser.rarity, places, len(headings.classes)),
    )


def line_of(lesson: Lesson, name: ScheduleName) -> Code | None:
    """The line that a lesson teaches in a schedule, where it is known."""
    return lesson.lines[name.column]


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
