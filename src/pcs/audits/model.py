"""The totals of filed codes beside those found. The trap: a sum of duties in money, which nobody can know without
quantities and values; what is added up is risk, in percentage points of the value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pcs.engine.filed.comparison import Agreement


@dataclass(frozen=True, slots=True)
class AuditTotals:
    """How many comparisons there are of each agreement; of how many the found duty is higher or lower than the filed
    one; and the sum of their risks."""

    agreements: Mapping[Agreement, int] = field(default_factory=dict)
    duty_higher: int = 0
    duty_lower: int = 0
    risk: float = 0.0

    @property
    def compared(self) -> int:
        """How many there are."""
        return sum(self.agreements.values())
