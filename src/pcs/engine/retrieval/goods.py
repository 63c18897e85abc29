"""Taught goods near the product, which vote with their headings: what a person does who looks up the like. The trap:
goods that share only common words; the rarer the words shared, the nearer.

Source: Cover and Hart, "Nearest neighbor pattern classification", 1967; the cosine of words weighed by their rarity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from pcs.engine.arrays import Arrays, joined
from pcs.engine.retrieval.vectors import Vector

if TYPE_CHECKING:
    import scipy.sparse as sp  # slow to load, and only who counts needs it

Floats = npt.NDArray[np.float64]

_NEAREST = 20  # of 10 to 40, the best for headings on the development sets


@dataclass(frozen=True)
class TaughtGoods:
    """Every lesson by the word terms it has, and its heading.

    Term `i` is in the goods `goods[starts[i]:starts[i + 1]]` and weighs `rarity[i]`; `lengths` gives each good the
    length of its vector, `headings` its heading's place among the `classes` of the models.
    """

    starts: npt.NDArray[np.int32]
    goods: npt.NDArray[np.int32]
    lengths: npt.NDArray[np.float32]
    headings: npt.NDArray[np.uint16]
    rarity: npt.NDArray[np.float32]
    classes: int

    def votes(self, query: Vector) -> Floats:
        """The share of each heading in the votes of the goods nearest to a query, shape (classes,).

        A vote counts the square of the nearness; those equally near come in their order.
        """
        known = query.indices < len(self.rarity)
        columns, weights = query.indices[known], query.data[known]
        starts, stops = self.starts[columns], self.starts[columns + 1]
        said = joined(self.goods, starts, stops)
        total = np.zeros(len(self.headings), dtype=np.float32)
        np.add.at(total, said, (weights * self.rarity[columns]).repeat(stops - starts))
        most = _NEAREST * len(columns)  # a good stands once for each term that it shares
        if len(said) > most:
            roughly = total[said] / self.lengths[said]
            said = said[roughly >= np.partition(roughly, -most)[-most]]
        touched = np.unique(said)
        lengths = self.lengths[touched].astype(np.float64) * max(float(np.linalg.norm(weights)), 1e-9)
        nearness = np.round(total[touched] / lengths, 5)
        best = np.lexsort((touched, -nearness))[:_NEAREST]
        counts = np.bincount(self.headings[touched[best]], weights=nearness[best] ** 2, minlength=self.classes)
        shares: Floats = counts / max(float(counts.sum()), 1e-9)
        return shares

    def arrays(self, name: str) -> Arrays:
        """The goods as plain arrays, to be stored under this name; rarity and classes are the models'."""
        parts = ("starts", "goods", "lengths", "headings")
        return {f"{name}.{part}": getattr(self, part) for part in parts}

    @classmethod
    def from_arrays(cls, arrays: Arrays, name: str, rarity: npt.NDArray[np.float32], classes: int) -> Self:
        """The goods that `arrays()` stored under this name."""
        parts = {part: arrays[f"{name}.{part}"] for part in ("starts", "goods", "lengths", "headings")}
        return cls(**parts, rarity=rarity, classes=classes)


def taught_goods(
    matrix: sp.csr_matrix, rarity: npt.NDArray[np.float32], headings: npt.NDArray[np.generic], classes: int
) -> TaughtGoods:
    """The goods of a matrix of lessons whose first columns, as many as `rarity` has, are those of word terms."""
    terms = matrix[:, : len(rarity)].tocsc()
    squares = np.repeat(rarity.astype(np.float64) ** 2, np.diff(terms.indptr))
    lengths = np.sqrt(np.maximum(np.bincount(terms.indices, squares, minlength=matrix.shape[0]), 1e-12))
    return TaughtGoods(
        terms.indptr.astype(np.int32),
        terms.indices.astype(np.int32),
        lengths.astype(np.float32),
        headings.astype(np.uint16),
        rarity,
        classes,
    )
