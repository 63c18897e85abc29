"""Terms and their columns, in arrays that may lie in a mapped file: a dictionary of as many strings takes 50 MB in each
process. The trap: a term that only shares its hash with another; the term found is compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Self
from zlib import crc32

import numpy as np
import numpy.typing as npt

from pcs.engine.arrays import Arrays

_FREE = -1
_REMEMBERED = 1 << 13  # terms; they take 2 MB


@dataclass(frozen=True)
class Vocabulary:
    """Column `i` is the term `text[starts[i]:starts[i + 1]]`, UTF-8; `slots`, a power of two of them, hold columns at
    the term's CRC-32 or at the next free place after it."""

    text: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int32]
    slots: npt.NDArray[np.int32]

    @classmethod
    def of(cls, terms: Sequence[str]) -> Self:
        """The vocabulary of these different terms, in their order."""
        written = [term.encode() for term in terms]
        slots = [_FREE] * (1 << (2 * len(terms)).bit_length())
        for column, term in enumerate(written):
            slot = crc32(term) & (len(slots) - 1)
            while slots[slot] != _FREE:
                slot = (slot + 1) & (len(slots) - 1)
            slots[slot] = column
        starts = np.cumsum([0, *map(len, written)])
        return cls(
            np.frombuffer(b"".join(written), dtype=np.uint8),
            starts.astype(np.int32),
            np.array(slots, dtype=np.int32),
        )

    @cached_property
    def get(self) -> Callable[[str], int | None]:
        """The column of a term, or None; of terms that are said again and again it is remembered."""
        return lru_cache(maxsize=_REMEMBERED)(self.find)

    def find(self, term: str) -> int | None:
        """The column of a term, or None."""
        text, starts, slots = self._views
        said = term.encode()
        slot = crc32(said) & (len(slots) - 1)
        while (column := slots[slot]) != _FREE:
            if text[starts[column] : starts[column + 1]] == said:
                return column
            slot = (slot + 1) & (len(slots) - 1)
        return None

    def term(self, column: int) -> str:
        """The term of a column."""
        text, starts, _ = self._views
        return text[starts[column] : starts[column + 1]].tobytes().decode()

    def __contains__(self, term: str) -> bool:
        return self.get(term) is not None

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def _views(self) -> tuple[memoryview[int], memoryview[int], memoryview[int]]:
        """The arrays as Python reads them fastest, number by number."""
        return self.text.data, self.starts.data, self.slots.data

    def arrays(self, name: str) -> Arrays:
        """As plain arrays, to be stored under this name."""
        return {f"{name}.text": self.text, f"{name}.starts": self.starts, f"{name}.slots": self.slots}

    @classmethod
    def from_arrays(cls, arrays: Arrays, name: str) -> Self:
        """What `arrays()` stored under this name."""
        return cls(arrays[f"{name}.text"], arrays[f"{name}.starts"], arrays[f"{name}.slots"])
