"""Where each of many terms is, in arrays that may lie in a mapped file. The trap: places of a term that was never said;
they are none, and no error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from pcs.engine.arrays import Arrays
from pcs.engine.retrieval.vocabulary import Vocabulary


@dataclass(frozen=True)
class ByTerm:
    """The places of term `i` are `places[ends[i]:ends[i + 1]]`, in the order in which they were given."""

    terms: Vocabulary
    ends: npt.NDArray[np.int32]
    places: npt.NDArray[np.int32]

    @classmethod
    def of(cls, places: Mapping[str, Sequence[int]]) -> Self:
        """These places, by their terms."""
        return cls(
            terms=Vocabulary.of(list(places)),
            ends=np.cumsum([0, *map(len, places.values())]).astype(np.int32),
            places=np.array([place for found in places.values() for place in found], dtype=np.int32),
        )

    def of_term(self, term: str) -> npt.NDArray[np.int32]:
        """The places of one term."""
        column = self.terms.find(term)
        return self.places[:0] if column is None else self.places[self.ends[column] : self.ends[column + 1]]

    def arrays(self, name: str) -> Arrays:
        """As plain arrays, to be stored under this name."""
        return {**self.terms.arrays(f"{name}.terms"), f"{name}.ends": self.ends, f"{name}.places": self.places}

    @classmethod
    def from_arrays(cls, arrays: Arrays, name: str) -> Self:
        """What `arrays()` stored under this name."""
        return cls(Vocabulary.from_arrays(arrays, f"{name}.terms"), arrays[f"{name}.ends"], arrays[f"{name}.places"])
