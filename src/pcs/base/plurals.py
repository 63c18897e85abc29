"""A number with its noun, wherever a person reads it. The trap: "1 rows", which no test with two rows shows."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """A number with what is said of one, or of many: its plural, where that is not given.

    >>> counted(1, "worker"), counted(2_000, "delivery"), counted(0, "day")
    ('1 worker', '2,000 deliveries', '0 days')
    >>> counted(1, "row has", "rows have"), counted(2, "row has", "rows have")
    ('1 row has', '2 rows have')
    """
    regular = one[:-1] + "ies" if one.endswith("y") and one[-2] not in "aeiou" else one + "s"
    return f"{number:,} {one if number == 1 else many or regular}"
