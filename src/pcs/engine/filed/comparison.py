"""A filed code beside the one found: what is said of the two, and how a filed code is read.

The trap: a code that a spreadsheet has robbed of its first zero, padded by guess; it is refused, and the message says
what to put back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pcs.tariff.code import Code

_LEAST_DIGITS = 6


class Agreement(StrEnum):
    """How a filed code stands beside the one found; `not_compared` where nothing was found to compare it with."""

    AGREES = "agrees"
    AGREES_IN_PART = "agrees_in_part"
    DIFFERS = "differs"
    NO_SUCH_LINE = "no_such_line"
    SUPERSEDED = "superseded"
    NOT_COMPARED = "not_compared"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A filed code beside the one found.

    `digits` is how many leading digits both share. `confidence` is the probability, 0 to 1, that this is right; None
    where it is not known. `successors` have the words of a line that is gone. `filed_duty` and `found_duty` are
    the general rates in the publisher's words; `duty_difference` is found less filed, in percentage points of the
    value, None unless both are ad valorem. `risk` is what is at stake: the difference, whichever way, times the
    confidence.
    """

    agreement: Agreement
    filed: Code
    reason: str
    digits: int = 0
    found: Code | None = None
    confidence: float | None = None
    successors: tuple[Code, ...] = ()
    filed_description: str = ""
    filed_duty: str = ""
    found_duty: str = ""
    duty_difference: float | None = None

    @property
    def risk(self) -> float | None:
        """Percentage points of duty times confidence; None where one of them is not known."""
        if self.agreement is Agreement.AGREES:
            return 0.0
        if self.duty_difference is None or self.confidence is None:
            return None
        return abs(self.duty_difference) * self.confidence

    @property
    def priority(self) -> float:
        """What orders lists, greatest first: the risk; behind it what cannot be put in figures, the surest first; then
        other lines that cost the same, what was not compared, and what agrees."""
        if self.agreement in _LAST:
            return _LAST[self.agreement]
        if self.risk is None:
            return (self.confidence or 0.0) - 1
        return self.risk or (self.confidence or 0.0) - 2

    @property
    def said(self) -> str:
        """The agreement as people read it.

        >>> Comparison(Agreement.AGREES_IN_PART, Code("61091000"), "", digits=6).said
        'agrees to 6 digits'
        """
        if self.agreement is Agreement.AGREES_IN_PART:
            return f"agrees to {self.digits} digits"
        if self.agreement is Agreement.SUPERSEDED:
            return f"superseded by {', '.join(code.dotted for code in self.successors)}"
        return _SAID[self.agreement]


_LAST = {Agreement.NOT_COMPARED: -2.5, Agreement.AGREES: -3.0}
_SAID = {
    Agreement.AGREES: "agrees",
    Agreement.DIFFERS: "differs",
    Agreement.NO_SUCH_LINE: "no such line in this revision",
    Agreement.NOT_COMPARED: "not compared",
}


def filed_code(text: str) -> Code:
    """The code that somebody files. Raises ValueError, in words for a customer.

    >>> filed_code("6109.10.00 12"), filed_code("61091000")
    ('6109100012', '61091000')
    """
    digits = "".join(mark for mark in text if mark not in ". \t\u00a0\u202f")
    if not (digits.isascii() and digits.isdigit()):
        msg = "must be a tariff code, such as 6109.10.00.12: digits, with dots and spaces between them as you like"
        raise ValueError(msg)
    if len(digits) % 2:
        msg = f"has {len(digits)} digits: put back the 0 in front that a spreadsheet may have dropped"
        raise ValueError(msg)
    if not _LEAST_DIGITS <= len(digits) <= 10:
        msg = f"has {len(digits)} digits: give 6, 8 or 10"
        raise ValueError(msg)
    return Code(digits)
