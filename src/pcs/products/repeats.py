"""Which rows of a table say the same twice. The trap: a table of a million rows held in memory to find them; a number a
row is kept, and rows whose numbers are equal are the same."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Repeat:
    """A row that says what an earlier one says: `what` is "identifier" or "text"; both are row numbers."""

    row: int
    earlier: int
    what: str

    def __str__(self) -> str:
        what = "the same identifier" if self.what == "identifier" else "the same name and description"
        return f"row {self.row} has {what} as row {self.earlier}"


class Repeats:
    """Collects what each row says."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._said = array("q")
        self._rows = array("q")

    def add(self, row: int, said: str) -> None:
        """What a row says; nothing is no repeat of nothing."""
        words = " ".join(said.casefold().split())
        if words:
            self._said.append(hash(words))
            self._rows.append(row)

    def found(self) -> list[Repeat]:
        """Every row that says what an earlier one says, in the order of the table."""
        if not self._said:
            return []
        said = np.frombuffer(self._said, dtype=np.int64)
        _, first, group = np.unique(said, return_index=True, return_inverse=True)
        again = np.flatnonzero(first[group] != np.arange(len(said)))
        return [Repeat(self._rows[place], self._rows[first[group[place]]], self._what) for place in again.tolist()]
