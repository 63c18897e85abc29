"""One labelled case beside what was answered. The trap: a label of eight digits and a line of ten; an answer is right
to a number of digits or to the label's end."""

from __future__ import annotations

from dataclasses import dataclass

from pcs.engine.determination import Determination
from pcs.engine.result import Result
from pcs.evaluation.cases import Case
from pcs.tariff.code import Code


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """One case, what the engine answered and how long it took."""

    case: Case
    determination: Determination
    milliseconds: float

    @property
    def result(self) -> Result | None:
        """What the engine found, None where it gave no code."""
        return self.determination.result

    def is_right(self, digits: int | None = None) -> bool:
        """Whether the first answer equals the label to this many digits, or to the label's end, which in the US may be
        its eighth digit."""
        return self.result is not None and self._agrees(self.result.code, digits)

    @property
    def is_exact(self) -> bool:
        """Whether the answer is right to the end of the label."""
        return self.is_right()

    def has_right(self, digits: int) -> bool:
        """Whether the first answer or one of its alternatives does."""
        found = (self.result.code, *(other.code for other in self.result.alternatives)) if self.result else ()
        return any(self._agrees(code, digits) for code in found)

    def _agrees(self, code: Code, digits: int | None) -> bool:
        digits = min(digits or len(self.case.code), len(self.case.code))
        return code[:digits] == self.case.code[:digits]
