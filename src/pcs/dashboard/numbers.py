"""Numbers as people write them into forms. The trap: a number that is guessed; what is none is refused."""

from __future__ import annotations

from pcs.base.errors import InvalidRequestError, Violation
from pcs.dashboard.visit import Visit

_LONGEST = 20


def share(visit: Visit, field: str) -> float | None:
    """A percentage of the form as a share; None where it was left empty. Raises InvalidRequestError."""
    try:
        return share_of(visit.line(field, longest=_LONGEST))
    except ValueError:
        raise InvalidRequestError(Violation(field, "must be a percentage between 0 and 100")) from None


def count(visit: Visit, field: str) -> int | None:
    """A whole number of the form; None where it was left empty. Raises InvalidRequestError."""
    try:
        return count_of(visit.line(field, longest=_LONGEST))
    except ValueError:
        raise InvalidRequestError(Violation(field, "must be a whole number")) from None


def share_of(written: str) -> float | None:
    """A percentage as people write it, as a share; None for nothing. Raises ValueError for what is none.

    >>> share_of("62,5 %"), share_of("")
    (0.625, None)
    """
    plain = written.removesuffix("%").strip().replace(",", ".")
    if not plain:
        return None
    share = float(plain) / 100
    if not 0 <= share <= 1:
        raise ValueError(written)
    return round(share, 6)


def count_of(written: str) -> int | None:
    """A number as people write it; None for nothing. Raises ValueError for what is none.

    >>> count_of("10,000"), count_of(" "), count_of("1 500")
    (10000, None, 1500)
    """
    plain = written.replace(",", "").replace(" ", "")
    if not plain:
        return None
    if not plain.isascii() or not plain.isdigit():
        raise ValueError(written)
    return int(plain)
