"""Which row of a table is its header. The trap: the title of a price list above it, merged over all columns; and the
other way round, a first row of goods that is taken for such a title and lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pcs.spreadsheets.model import Row, Score

LOOKED_AT = 20


def header_of(rows: Sequence[Row], score: Score) -> Row:
    """The header among the first rows that hold anything.

    It is the one with the most titles that the caller knows, if these are two or it comes first; else the first that
    is as wide as most rows are.
    """
    scores = [score([str(cell) for cell in row.cells]) for row in rows]
    best = scores.index(max(scores))
    if scores[best] >= 2 or (scores[0] and best == 0):
        return rows[best]
    widths = [width_of(row.cells) for row in rows]
    usual = max(Counter(widths).items(), key=lambda found: (found[1], found[0]))[0]
    return rows[widths.index(usual)]


def width_of(cells: Sequence[object]) -> int:
    """How many cells a row has, up to the last that holds anything."""
    return max((place for place, cell in enumerate(cells, start=1) if str(cell).strip()), default=0)
