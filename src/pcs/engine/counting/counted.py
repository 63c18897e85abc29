"""What is counted in lessons: the vocabulary, naive Bayes of headings, subheadings and lines, and the goods. The trap:
classes of one model that stand elsewhere in another; headings and subheadings are the same, in the same order,
wherever they are classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from pcs.engine.arrays import Arrays
from pcs.engine.ranking.bayes import NaiveBayes, NaiveBayesBelow
from pcs.engine.retrieval.goods import TaughtGoods
from pcs.engine.retrieval.vectors import Vectoriser
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
