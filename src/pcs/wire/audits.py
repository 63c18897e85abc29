"""Audits on the wire: a batch whose products have codes declared, and what is at stake."""

from __future__ import annotations

from pydantic import Field

from pcs.audits.model import AuditTotals
from pcs.engine.filed.comparison import Agreement
from pcs.wire.base import Answer
from pcs.wire.batches import BatchItem, BatchOutput


class TotalsOutput(Answer):
    """How many declared codes stand how beside the codes found."""

    agrees: int
    agrees_in_part: int
    differs: int
    no_such_line: int
    superseded: int
    not_compared: int = Field(description="No code was found to compare with.")
    duty_higher: int = Field(description="The duty of the code found is higher, where both are ad valorem.")
    duty_lower: int
    risk: float = Field(description="The sum of the risks, in percentage points of the value.")

    @classmethod
    def of(cls, totals: AuditTotals) -> TotalsOutput:
        """The wire shape of totals."""
        counts = {agreement.value: totals.agreements.get(agreement, 0) for agreement in Agreement}
        return cls(**counts, duty_higher=totals.duty_higher, duty_lower=totals.duty_lower, risk=round(totals.risk, 3))


class FullAudit(BatchOutput):
    """An audit with its totals so far and its classifications, most at stake first."""

    totals: TotalsOutput
    classifications: list[BatchItem]
