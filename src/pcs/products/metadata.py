"""What senders attach to goods for themselves: an order's number, a warehouse. The trap: taking it for something that
is said of the goods; no analysis reads it."""

from __future__ import annotations

from collections.abc import Iterable

from pcs.base.text import shortened

MOST, LONGEST_KEY, LONGEST_VALUE = 20, 40, 500


def checked(given: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Metadata as it is kept. Raises ValueError, in words for a customer."""
    kept = dict[str, str]()
    for key, value in given:
        if key in kept:
            msg = f"names “{shortened(key, 40)}” twice"
            raise ValueError(msg)
        _check(key, value)
        kept[key] = value
    if len(kept) > MOST:
        msg = f"must have at most {MOST} keys"
        raise ValueError(msg)
    return kept


def _check(key: str, value: str) -> None:
    if not 1 <= len(key) <= LONGEST_KEY:
        msg = f"has the key “{shortened(key, 40)}”: a key must have 1 to {LONGEST_KEY} characters"
        raise ValueError(msg)
    if len(value) > LONGEST_VALUE:
        msg = f"has “{key}” with a value of more than {LONGEST_VALUE} characters"
        raise ValueError(msg)
