"""One API request as it is kept. The trap: a log that becomes a second copy of everything; bodies are shortened before
they are kept, and of what was only read just the errors are."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from pcs.base.tenancy import Tenant

LARGEST_ANSWER = 16 * 1024
"""Bytes of an answer's body that is looked at; one that is longer is not kept."""


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """A request with a key of ours. `took` is in milliseconds; bodies are JSON texts, None where none is kept."""

    id: str
    tenant: Tenant
    key_id: str
    method: str
    path: str
    query: str
    status: int
    took: float
    created_at: dt.datetime
    key_name: str = ""
    key_last_four: str = ""
    request_body: str | None = None
    response_body: str | None = None


@dataclass(frozen=True, slots=True)
class RequestFilters:
    """Which requests to list. `status` is one such as `404`, or a class such as `4xx`; `path` is how it begins."""

    key_id: str | None = None
    method: str | None = None
    path: str | None = None
    status: str | None = None
    created_after: dt.datetime | None = None
    created_before: dt.datetime | None = None

    @property
    def statuses(self) -> tuple[int, int] | None:
        """The first and the last status that are asked for.

        >>> RequestFilters(status="4xx").statuses, RequestFilters(status="404").statuses
        ((400, 499), (404, 404))
        """
        if self.status is None:
            return None
        return int(self.status.replace("x", "0")), int(self.status.replace("x", "9"))
