"""When a classification accepted now is likely to be ready.

The trap: a guess that costs as much as the work it accompanies; a process asks the database once a second at most."""

from __future__ import annotations

import datetime as dt
import math

from pcs.base.database import Transaction
from pcs.classifications import waiting_store

_FIRST_ESTIMATE = 60  # seconds; source: interface.md, "about 60 seconds on average"
_FRESH = dt.timedelta(seconds=1)


class Estimates:
    """What one process knows of the queue's length and the latest analyses' pace."""

    def __init__(self, slots: int) -> None:
        """`slots` is how many analyses run at once."""
        self._slots = max(1, slots)
        self._asked: dt.datetime | None = None
        self._seconds = _FIRST_ESTIMATE

    async def seconds(self, transaction: Transaction, *, now: dt.datetime) -> int:
        """The queue's length by the median of the latest analyses; a minute before the first of them."""
        if self._asked is None or not self._asked <= now < self._asked + _FRESH:
            median, waiting = await waiting_store.pace(transaction)
            self._asked = now
            self._seconds = _FIRST_ESTIMATE
            if median is not None:
                self._seconds = max(1, math.ceil(waiting * median / 1000 / self._slots))
        return self._seconds
