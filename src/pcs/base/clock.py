"""Time as an argument. The trap: a naive timestamp, or one printed with "+00:00" where the interface promises "Z"."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

Clock = Callable[[], dt.datetime]


def system_clock() -> dt.datetime:
    """The present, in UTC."""
    return dt.datetime.now(dt.UTC)


def rfc3339(moment: dt.datetime) -> str:
    """A moment as the interface writes it: UTC, milliseconds, `Z`.

    >>> rfc3339(dt.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=dt.UTC))
    '2026-01-02T03:04:05.678Z'
    """
    return moment.astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
