"""Time as an argument. The traps: a naive timestamp, or one printed with "+00:00" where the interface promises "Z"; and
as many times as hosts, so that one wrong clock ends the windows of all: everybody keeps the database's time."""

from __future__ import annotations

import datetime as dt
import re
import time
from collections.abc import Callable

Clock = Callable[[], dt.datetime]

_EVERY = 60.0  # seconds after which the database is asked again
_STEP = 1.0  # seconds by which this host's clock may move against its counter before the database is asked at once
_SLOW = 0.5  # seconds: an answer that took longer tells less than what is known already


class SharedClock:
    """The database's time, in UTC, counted on by this host's own steady counter; this host's until the first answer.

    It is called like any clock; `Database` sets it now and then.
    """

    def __init__(self) -> None:
        self._offset = self._drift()
        self._heard: float | None = None
        self._set_by = self._offset

    def __call__(self) -> dt.datetime:
        """The present."""
        return dt.datetime.fromtimestamp(time.monotonic() + self._offset, dt.UTC)

    @property
    def is_due(self) -> bool:
        """Whether the database is to be asked: once a minute, and after this machine slept or was set."""
        if self._heard is None or time.monotonic() - self._heard > _EVERY:
            return True
        return abs(self._drift() - self._set_by) > _STEP

    def set(self, moment: dt.datetime, *, asked: float) -> None:
        """What the database said when it was asked at `asked` of `time.monotonic`: halfway between then and now."""
        answered = time.monotonic()
        if self._heard is None or answered - asked < _SLOW:
            self._offset = moment.timestamp() - (asked + answered) / 2
        self._heard, self._set_by = answered, self._drift()

    @staticmethod
    def _drift() -> float:
        return time.time() - time.monotonic()


def rfc3339(moment: dt.datetime) -> str:
    """A moment as the interface writes it: UTC, milliseconds, `Z`.

    >>> rfc3339(dt.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=dt.UTC))
    '2026-01-02T03:04:05.678Z'
    """
    return moment.astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def day(text: str) -> dt.date:
    """A day as ISO 8601 writes it; a number of seconds is none. Raises ValueError, in words for a customer.

    >>> day("2026-01-31")
    datetime.date(2026, 1, 31)
    """
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
            return dt.date.fromisoformat(text)
    except ValueError:
        pass
    msg = "must be a date such as 2026-01-31"
    raise ValueError(msg)
