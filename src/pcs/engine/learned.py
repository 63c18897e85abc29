"""What `pcs train` learns: the shared model by the names of its terms, the weights of choice, and what it
all was made from. The trap: weights that hang on the pack's columns; a pack that changed moves them, so terms and
codes are named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pcs.engine.counting.lessons import Lesson
from pcs.engine.ranking.choice import ChoiceWeights
from pcs.engine.ranking.shared import Outputs, SharedModel
from pcs.engine.retrieval.vocabulary import Vocabulary
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName


@dataclass(frozen=True, slots=True)
class MadeFrom:
    """What the weights were made from: the digest of the pack's parsed lessons, the revision of each schedule, and how
    many lessons rulings gave."""

    lessons: str
    schedules: Mapping[str, str]
    rulings: int


@dataclass(frozen=True)
class SharedWeights:
    """The shared model by names: row `i` of `units`, which count steps of `steps[i]`, belongs to `terms[i]`."""

    terms: Sequence[str]
    units: npt.NDArray[np.int8]
    steps: npt.NDArray[np.float32]
    bias: npt.NDArray[np.float32]
    headings: Outputs
    subheadings: Outputs

    def over(self, vocabulary: Vocabulary, headings: Sequence[Code], subheadings: Sequence[Code]) -> SharedModel:
        """The model over these columns and classes; what it does not know it leaves out."""
        places = np.full(len(vocabulary), -1, dtype=np.int32)
        for row, term in enumerate(self.terms):
            column = vocabulary.get(term)
            if column is not None:
                places[column] = row
        outputs = self.headings.over(headings), self.subheadings.over(subheadings)
        return SharedModel(places, self.units, self.steps, self.bias, *outputs)


@dataclass(frozen=True)
class Learned:
    """Everything that is learned and cannot be counted anew; `rulings` are lessons that the pack does not hold."""

    made_from: MadeFrom
    shared: SharedWeights
    choices: Mapping[ScheduleName, ChoiceWeights]
    rulings: tuple[Lesson, ...] = ()
