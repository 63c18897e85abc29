"""When a classification accepted now is likely to be ready.

The traps: a guess that costs as much as the work it accompanies; a process asks the database once a second at most. And
one that counts the workers of a setting, or the other environment's work: twice the workers took half as long."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping

from pcs.base.database import Transaction
from pcs.base.queue import processes_alive
from pcs.base.tenancy import Environment
from pcs.classifications import waiting_store

_FIRST_ESTIMATE = 60  # seconds; source: interface.md, "about 60 seconds on average"
_FRESH = dt.timedelta(seconds=1)


class Estimates:
    """What one process knows of an environment's queue and the latest analyses' pace."""

    def __init__(self, at_once: Mapping[Environment, int], *, silence: float) -> None:
        """`at_once` is how many a worker has under way; one unheard of for `silence` seconds does not count."""
        self._at_once = at_once
        self._silence = silence
        self._known: dict[Environment, tuple[dt.datetime, int]] = {}

    async def seconds(self, transaction: Transaction, environment: Environment, *, now: dt.datetime) -> int:
        """What waits, by the median of the latest analyses, over the workers that live; a minute before the first."""
        asked, seconds = self._known.get(environment, (None, _FIRST_ESTIMATE))
        if asked is None or not asked <= now < asked + _FRESH:
            seconds = await self._estimate(transaction, environment)
            self._known[environment] = now, seconds
        return seconds

    async def _estimate(self, transaction: Transaction, environment: Environment) -> int:
        median, waiting = await waiting_store.pace(transaction, environment)
        if median is None:
            return _FIRST_ESTIMATE
        workers = max(1, await processes_alive(transaction, silence=self._silence))
        return max(1, math.ceil(waiting * median / 1000 / (workers * self._at_once[environment])))
