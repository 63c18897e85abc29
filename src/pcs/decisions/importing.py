"""A file of decisions on its way in: what to keep next, and what became of its rows.

The trap: a file of a million rows in one transaction that fails at its last; it is kept a part at a time, and the same
file again changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from pcs.decisions.files import DecidedRow, DecisionTable
from pcs.decisions.model import NewDecision
from pcs.decisions.service import Remembered
from pcs.decisions.standing import from_file
from pcs.schedules.library import Library

_PART = 1_000


class Import:
    """The decisions of a file, a part at a time; `by` is a key, a member or the command line.

    `counts` are of rows `added`, `changed`, `left_out` and `not_in_force`; `problems` say where a row is and what is
    wrong with it.
    """

    def __init__(self, table: DecisionTable, library: Library, *, by: str) -> None:
        self.counts = Counter(added=0, changed=0, left_out=0, not_in_force=0)
        self.problems: list[str] = []
        self._library, self._by = library, by
        self._decided = self._taken(table.rows())

    def next_part(self) -> list[NewDecision]:
        """At most a thousand decisions to keep; none at the end. Reads the law, which blocks: call it in a thread.
        Raises SpreadsheetError."""
        return list(islice(self._decided, _PART))

    def kept(self, part: Remembered) -> None:
        """Count what became of a part."""
        self.counts.update(added=part.added, changed=part.changed)

    @property
    def detail(self) -> str:
        """What came of it, for the audit log."""
        return f"{self.counts['added']} added, {self.counts['changed']} changed"

    def _taken(self, rows: Iterator[DecidedRow]) -> Iterator[NewDecision]:
        for one in rows:
            if one.goods is None or one.schedule is None or one.code is None:
                self.counts["left_out"] += 1
                self.problems.append(f"{one.row.place}: {one.problem}")
            else:
                decided = from_file(self._library, one.goods, one.schedule, one.code, by=self._by)
                self.counts["not_in_force"] += not decided.words
                yield decided
