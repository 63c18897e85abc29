"""When to try again, and when to ask again. The trap: everybody retrying at the same moment; pauses are drawn at
random, and never shorter than the service asks for."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

RETRIED = frozenset({408, 429, 500, 502, 503, 504})
IN_PROGRESS = "IDEMPOTENCY_IN_PROGRESS"


@dataclass(frozen=True, slots=True)
class Policy:
    """How patient the client is; all times in seconds.

    A request is tried `tries` times; pauses double from `first_pause` up to `longest_pause`. The polling rhythm is the
    one that the interface recommends: every 5 s for 30 s, every 10 s up to 120 s, every 30 s up to 5 minutes.
    """

    tries: int = 5
    first_pause: float = 0.5
    longest_pause: float = 60.0
    timeout: float = 30.0
    polling: tuple[tuple[float, float], ...] = ((30.0, 5.0), (120.0, 10.0), (300.0, 30.0))

    def pause(self, failures: int, retry_after: int | None) -> float:
        """How long to wait after so many failures: between half and all of the doubled pause, or as asked if longer."""
        doubled = min(self.first_pause * 2.0 ** (failures - 1), self.longest_pause)
        return max(doubled * random.uniform(0.5, 1.0), float(retry_after or 0))  # noqa: S311 (spread, not secrecy)

    def waited(self, pause: float) -> int:
        """The whole seconds for which a poll lets the service wait, so that its answer comes before `timeout`.

        >>> Policy().waited(5.0), Policy().waited(30.0), Policy().waited(0.1)
        (5, 25, 0)
        """
        return int(min(pause, max(0.0, self.timeout - 5)))

    def polls(self) -> Iterator[float]:
        """The pauses between polls, until it is time to stop.

        >>> pauses = list(Policy().polls())
        >>> len(pauses), pauses[0], pauses[-1], sum(pauses)
        (21, 5.0, 30.0, 300.0)
        """
        waited = 0.0
        for until, pause in self.polling:
            while waited < until:
                yield pause
                waited += pause
