"""Everything that is taught to the engine, ready to answer: what was counted in the lessons and what was learned, laid
over each other, and the lexicons of other languages. Its arrays may lie in mapped files, which processes share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from pcs.engine.arrays import Arrays
from pcs.engine.counting.counted import Counted
from pcs.engine.languages.lexicon import STEMMERS, Lexicon, lexicons
from pcs.engine.learned import Learned
from pcs.engine.ranking.bayes import NaiveBayes, NaiveBayesBelow
from pcs.engine.ranking.choice import ChoiceWeights
from pcs.engine.ranking.shared import SharedModel
from pcs.engine.retrieval.goods import TaughtGoods
from pcs.engine.retrieval.vectors import Vectoriser
from pcs.tariff.revision import ScheduleName


@dataclass(frozen=True, eq=False)
class Trained:
    """The vocabulary, naive Bayes of headings and of subheadings, a model that they share, the goods that were taught,
    and for each schedule naive Bayes of its lines, the weights that choose between them.
    Headings and subheadings are the same, in the same order, wherever they are classes."""

    counted: Counted = field(repr=False)
    shared: SharedModel
    choices: dict[ScheduleName, ChoiceWeights]
    lexicons: Mapping[str, Lexicon] = field(default_factory=lexicons, repr=False)

    @property
    def vectoriser(self) -> Vectoriser:
        """The vocabulary."""
        return self.counted.vectoriser

    @property
    def headings(self) -> NaiveBayes:
        """Naive Bayes of headings."""
        return self.counted.headings

    @property
    def subheadings(self) -> NaiveBayesBelow:
        """Naive Bayes of subheadings."""
        return self.counted.subheadings

    @property
    def lines(self) -> dict[ScheduleName, NaiveBayesBelow]:
        """Naive Bayes of each schedule's lines."""
        return self.counted.lines

    @property
    def goods(self) -> TaughtGoods:
        """The goods that were taught."""
        return self.counted.goods

    @classmethod
    def of(cls, counted: Counted, learned: Learned) -> Self:
        """What was learned over what was counted."""
        classes = counted.headings.classes, counted.subheadings.classes
        shared = learned.shared.over(counted.vectoriser.vocabulary, *classes)
        return cls(counted, shared, dict(learned.choices))

    def arrays(self) -> Arrays:
        """As plain arrays, to be stored."""
        weights = {f"{name}.choice": np.array(self.choices[name].weights) for name in ScheduleName}
        lexicons = (lexicon.arrays() for lexicon in self.lexicons.values())
        words = {name: array for arrays in lexicons for name, array in arrays.items()}
        return {**self.counted.arrays(), **self.shared.arrays("shared"), **weights, **words}

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """What `arrays()` stored."""
        counted = Counted.from_arrays(arrays)
        classes = counted.headings.classes, counted.subheadings.classes
        return cls(
            counted,
            SharedModel.from_arrays(arrays, "shared", *classes),
            {name: ChoiceWeights(tuple(arrays[f"{name}.choice"].tolist())) for name in ScheduleName},
            {language: Lexicon.from_arrays(arrays, language) for language in STEMMERS},
        )
