"""What is counted in lessons: the vocabulary, naive Bayes of headings, subheadings and lines, and the goods. The trap:
classes of one model that stand elsewhere in another; headings and subheadings are the same, in the same order,
wherever they are classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy.sparse as sp

from pcs.engine.arrays import Arrays
from pcs.engine.counting.bayes import counted_by_code
from pcs.engine.counting.lessons import Lesson
from pcs.engine.ranking.bayes import NaiveBayes, NaiveBayesBelow, naive_bayes, naive_bayes_below
from pcs.engine.retrieval.goods import TaughtGoods, taught_goods
from pcs.engine.retrieval.vectors import Vectoriser
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName


@dataclass(frozen=True)
class Counted:
    """The same lessons give the same, on every machine."""

    vectoriser: Vectoriser
    headings: NaiveBayes
    subheadings: NaiveBayesBelow
    lines: dict[ScheduleName, NaiveBayesBelow]
    goods: TaughtGoods

    def arrays(self) -> Arrays:
        """As plain arrays, to be stored."""
        lines = (self.lines[name].arrays(f"{name}.lines") for name in ScheduleName)
        return {
            **self.vectoriser.arrays(),
            **self.headings.arrays("headings"),
            **self.subheadings.arrays("subheadings"),
            **self.goods.arrays("goods"),
            **{name: array for arrays in lines for name, array in arrays.items()},
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """What `arrays()` stored."""
        vectoriser = Vectoriser.from_arrays(arrays)
        headings = NaiveBayes.from_arrays(arrays, "headings")
        return cls(
            vectoriser,
            headings,
            NaiveBayesBelow.from_arrays(arrays, "subheadings"),
            {name: NaiveBayesBelow.from_arrays(arrays, f"{name}.lines") for name in ScheduleName},
            TaughtGoods.from_arrays(arrays, "goods", vectoriser.rarity, len(headings.classes)),
        )


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
            name: naive_bayes_below(*counted_by_code(matrix, _lines(lessons, name.column), weights))
            for name in ScheduleName
        },
        taught_goods(matrix, vectoriser.rarity, places, len(headings.classes)),
    )


def line_of(lesson: Lesson, name: ScheduleName) -> Code | None:
    """The line that a lesson teaches in a schedule, where it is known."""
    return lesson.lines[name.column]


def _lines(lessons: Sequence[Lesson], column: int) -> list[Code | None]:
    return [lesson.lines[column] for lesson in lessons]
