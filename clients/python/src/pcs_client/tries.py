"""The tries of one call. The trap: retrying what will never succeed, or what nobody knows to be safe; reads and calls
with an Idempotency-Key are safe, and so are settings that come out the same."""

from __future__ import annotations

import httpx2

from pcs_client.calls import error_of
from pcs_client.errors import ConnectionFailedError
from pcs_client.policy import IN_PROGRESS, RETRIED, Policy


class Tries:
    """Counts failures and says how long to wait before the next try."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._failures = 0

    def after_answer(self, response: httpx2.Response) -> float | None:
        """Seconds to wait before trying again; None for an answer that stands."""
        if response.status_code < 400:
            return None
        error = error_of(response)
        passing = response.status_code in RETRIED or error.code == IN_PROGRESS
        self._failures += 1
        if not passing or self._failures >= self._policy.tries:
            return None
        return self._policy.pause(self._failures, error.retry_after)

    def after_fault(self, fault: httpx2.TransportError) -> float:
        """Seconds to wait before trying again. Raises ConnectionFailedError after the last try."""
        self._failures += 1
        if self._failures >= self._policy.tries:
            msg = f"The service could not be reached in {self._failures} tries: {type(fault).__name__}."
            raise ConnectionFailedError(msg) from fault
        return self._policy.pause(self._failures, None)
