"""How the comparison of a filed code with the one found stands in a spreadsheet.

The trap: a column of numbers with words in it; what is not known is an empty cell, and the reason stands beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

from pcs.engine.filed.comparison import Comparison
from pcs.tariff.code import Code


@dataclass(frozen=True, slots=True)
class FiledCells:
    """One comparison in a row of a table; `sure` is 0 to 1, `duty_difference` percentage points of the value."""

    audit: str = ""
    audit_reason: str = ""
    found_code: str = ""
    found_description: str = ""
    sure: float | None = None
    agreeing_digits: int | None = None
    filed_description: str = ""
    filed_duty: str = ""
    found_duty: str = ""
    duty_difference: float | None = None
    risk: float | None = None
    audit_error: str = ""
    audit_revision: str = ""

    @property
    def cells(self) -> tuple[object, ...]:
        """One cell a title."""
        return tuple(getattr(self, title) for title in FILED_TITLES)


FILED_TITLES = tuple(field.name for field in fields(FiledCells))


def compared(one: Comparison, description: str, revision: str, written: Callable[[Code], str]) -> FiledCells:
    """A comparison, with the words of the code found, and codes as they are `written`."""
    return FiledCells(
        audit=one.said,
        audit_reason=one.reason,
        found_code=written(one.found) if one.found else "",
        found_description=description,
        sure=_rounded(one.confidence),
        agreeing_digits=one.digits,
        filed_description=one.filed_description,
        filed_duty=one.filed_duty,
        found_duty=one.found_duty,
        duty_difference=_rounded(one.duty_difference),
        risk=_rounded(one.risk),
        audit_revision=revision,
    )


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 3)
