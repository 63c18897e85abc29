"""Organizations and their keys. The trap: a caller without a valid key still counts against a rate limit, so being
refused and having a window are two separate answers."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum

from pcs.base.errors import RefusalError
from pcs.base.tenancy import Tenant
from pcs.engine.result import REVIEW_BELOW

WINDOW = dt.timedelta(seconds=60)
MAX_ACTIVE_KEYS = 50


class Scope(StrEnum):
    """What a key may do."""

    PRODUCTS_READ = "products:read"
    PRODUCTS_WRITE = "products:write"
    CLASSIFICATIONS_READ = "classifications:read"
    CLASSIFICATIONS_WRITE = "classifications:write"
    WEBHOOKS_READ = "webhooks:read"
    WEBHOOKS_WRITE = "webhooks:write"
    USAGE_READ = "usage:read"


FULL_ACCESS = frozenset(Scope)
READ_ONLY = frozenset(scope for scope in Scope if scope.endswith(":read"))


class Role(StrEnum):
    """What a member may do in the dashboard, most first."""

    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"
    VIEWER = "viewer"


class UnauthenticatedError(RefusalError):
    """No usable key: `reason` is missing, invalid, revoked or expired `_api_key`."""

    def __init__(self, reason: str) -> None:
        super().__init__(_SENTENCES[reason])
        self.reason = reason


_SENTENCES = {
    "missing_api_key": "Send an API key: Authorization: Bearer <API_KEY>.",
    "invalid_api_key": "The API key is not valid.",
    "revoked_api_key": "The API key has been revoked.",
    "expired_api_key": "The API key has expired.",
}


class ForbiddenError(RefusalError):
    """A good key in the wrong place: `reason` is wrong_environment or insufficient_permissions."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class InsufficientCreditsError(RefusalError):
    """The organization's credit limit does not cover the request."""


class TooManyKeysError(RefusalError):
    """An organization has as many active keys as it may have."""


DEMONSTRATION = "org_0000000000000000000000dem0"
"""The organization of `pcs up --demo`: nobody's, so that no customer pays for it or is told of it; in no list."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is known after creation; the token itself is never stored."""

    id: str
    tenant: Tenant
    name: str
    last_four: str
    scopes: frozenset[Scope]
    created_at: dt.datetime
    rate_limit: int | None = None
    expires_at: dt.datetime | None = None
    revoked_at: dt.datetime | None = None
    last_used_at: dt.datetime | None = None

    def refusal(self, now: dt.datetime) -> UnauthenticatedError | None:
        """Why the key may not be used now, None when it may."""
        if self.revoked_at is not None:
            return UnauthenticatedError("revoked_api_key")
        if self.expires_at is not None and self.expires_at <= now:
            return UnauthenticatedError("expired_api_key")
        return None


@dataclass(frozen=True, slots=True)
class RateWindow:
    """Where a caller stands in its minute: anchored at its first request, `used` counts this one too."""

    limit: int
    started_at: dt.datetime
    used: int

    @property
    def exceeded(self) -> bool:
        """Whether this request is one too many."""
        return self.used > self.limit

    @property
    def remaining(self) -> int:
        """Requests left in the window."""
        return max(0, self.limit - self.used)

    @property
    def resets_at(self) -> dt.datetime:
        """When the window ends."""
        return self.started_at + WINDOW


@dataclass(frozen=True, slots=True)
class Admission:
    """What is known of a request's sender: its key, or why there is none; and its window in either case.

    `sender` is the key that was sent, also where it is revoked or expired.
    """

    window: RateWindow
    key: ApiKey | None = None
    refusal: RefusalError | None = None
    sender: ApiKey | None = None


@dataclass(frozen=True, slots=True)
class NewKey:
    """What to create. Without `scopes` it may do everything."""

    tenant: Tenant
    name: str
    scopes: frozenset[Scope] = FULL_ACCESS
    rate_limit: int | None = None
    expires_at: dt.datetime | None = None


@dataclass(frozen=True, slots=True)
class Organization:
    """A customer. `credit_limit` None means none; `review_below`, 0 to 1, None means the service's own threshold.

    With `four_eyes` what one person says of an answer counts when a second one says the same; with `second_factor`
    nobody signs in by a password alone.
    """

    id: str
    name: str
    credit_limit: int | None
    created_at: dt.datetime
    review_below: float | None = None
    four_eyes: bool = False
    second_factor: bool = False

    @property
    def threshold(self) -> float:
        """The confidence, 0 to 1, below which answers are marked for review."""
        return REVIEW_BELOW if self.review_below is None else self.review_below
