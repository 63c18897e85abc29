"""A share that was counted in few cases, and the span in which the true one lies.

The trap: thirty right of thirty read as certainty. The interval is Wilson's (J. Am. Stat. Assoc. 22, 1927), which stays
within 0 and 1, and its middle is the share to expect of the next one."""

from __future__ import annotations

import math
from dataclasses import dataclass

_Z = 1.959964  # 95 %, two-sided


@dataclass(frozen=True, slots=True)
class Proportion:
    """So many `right` of `cases`, of which there is at least one."""

    right: int
    cases: int

    @property
    def share(self) -> float:
        """As it was counted, 0 to 1."""
        return self.right / self.cases

    @property
    def middle(self) -> float:
        """The middle of the interval: the share counted, drawn to one half the more the fewer cases there are.

        >>> round(Proportion(30, 30).middle, 3), round(Proportion(800, 1000).middle, 3)
        (0.943, 0.799)
        """
        return (self.right + _Z * _Z / 2) / (self.cases + _Z * _Z)

    @property
    def interval(self) -> tuple[float, float]:
        """Its ends, 95 %.

        >>> [round(end, 3) for end in Proportion(30, 40).interval]
        [0.598, 0.858]
        """
        within = self.right * (self.cases - self.right) / self.cases + _Z * _Z / 4
        half = _Z * math.sqrt(within) / (self.cases + _Z * _Z)
        return max(self.middle - half, 0.0), min(self.middle + half, 1.0)
