"""Taught goods near the product, which vote with their headings: what a person does who looks up the like. The trap:
goods that share only common words; the rarer the words shared, the nearer.

Source: Cover and Hart, "Nearest neighbor pattern classification", 1967; the cosine of words weighed by their rarity."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pcs.engine.retrieval.vectors import Arrays

Floats = npt.NDArray[np.float64]

_NEAREST = 20  # of 10 to 40, the best for headings on the development sets


@dataclass(frozen=True)
class TaughtGoods:
    """Every lesson as the word terms it has, and its heading.

    `starts` and `columns` are the rows of a sparse matrix of lessons by terms, `rarity` is what each column weighs, and
    `headings` gives each lesson its heading's place among the `classes` of the models.
    """

    starts: npt.NDArray[np.int32]
    columns: npt.NDArray[np.int32]
    rarity: npt.NDArray[np.float32]
    headings: npt.NDArray[np.int32]
    classes: int

    def votes(self, query: sp.csr_matrix) -> Floats:
        """The share of each heading in the votes of the goods nearest to a one-row query, shape (classes,).

        A vote counts the square of the nearness; those equally near come in their order.
        """
        known = query.indices < len(self.rarity)
        columns, weights = query.indices[known], query.data[known]
        total = np.zeros(len(self.headings), dtype=np.float32)
        for column, weight in zip(columns, weights, strict=True):
            part = slice(self._postings.indptr[column], self._postings.indptr[column + 1])
            total[self._postings.indices[part]] += weight * self._postings.data[part]
        touched = np.flatnonzero(total)
        nearness = np.round(total[touched].astype(np.float64) / max(float(np.linalg.norm(weights)), 1e-9), 5)
        if len(touched) > _NEAREST:
            close = nearness >= np.partition(nearness, -_NEAREST)[-_NEAREST]
            touched, nearness = touched[close], nearness[close]
        best = np.argsort(-nearness, kind="stable")[:_NEAREST]
        counts = np.bincount(self.headings[touched[best]], weights=nearness[best] ** 2, minlength=self.classes)
        shares: Floats = counts / max(float(counts.sum()), 1e-9)
        return shares

    @cached_property
    def _postings(self) -> sp.csc_matrix:
        """Goods by terms, each good of unit length, to be read term by term."""
        weights = self.rarity[self.columns]
        squares = np.concatenate([[0.0], np.cumsum(weights.astype(np.float64) ** 2)])
        lengths = np.sqrt(np.maximum(np.diff(squares[self.starts]), 1e-12))
        unit = (weights / np.repeat(lengths, np.diff(self.starts))).astype(np.float32)
        return sp.csr_matrix((unit, self.columns, self.starts), shape=(len(self.headings), len(self.rarity))).tocsc()

    def arrays(self, name: str) -> dict[str, npt.NDArray[np.generic]]:
        """The goods as plain arrays, to be stored under this name; rarity and classes are the models'."""
        return {
            f"{name}.lengths": np.diff(self.starts).astype(np.uint16),
            f"{name}.columns": self.columns,
            f"{name}.headings": self.headings.astype(np.uint16),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays, name: str, rarity: npt.NDArray[np.float32], classes: int) -> Self:
        """The goods that `arrays()` stored under this name."""
        starts = np.concatenate([[0], np.cumsum(arrays[f"{name}.lengths"].astype(np.int64))]).astype(np.int32)
        columns, headings = arrays[f"{name}.columns"], arrays[f"{name}.headings"]
        return cls(starts, columns.astype(np.int32), rarity, headings.astype(np.int32), classes)


def taught_goods(
    matrix: sp.csr_matrix, rarity: npt.NDArray[np.float32], headings: npt.NDArray[np.int32], classes: int
) -> TaughtGoods:
    """The goods of a matrix of lessons whose first columns, as many as `rarity` has, are those of word terms."""
    terms = matrix[:, : len(rarity)].tocsr()
    return TaughtGoods(terms.indptr.astype(np.int32), terms.indices.astype(np.int32), rarity, headings, classes)
