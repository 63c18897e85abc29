"""What can go wrong, by what a caller would do about it. The trap: two shapes of error body; both are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class ClientError(Exception):
    """Any failure of this client."""


class ConnectionFailedError(ClientError):
    """The service could not be reached, in as many tries as the policy allows."""


class StillRunningError(ClientError):
    """What was waited for is not final yet; it goes on, and can be waited for again."""


class WebhookError(ClientError):
    """A request that is not a delivery of the service, or too old."""


class ApiError(ClientError):
    """An answer that is an error. `code` is what programs decide by; `request_id` is what support asks for."""

    def __init__(
        self, status: int, body: Mapping[str, Any], *, request_id: str | None, retry_after: int | None
    ) -> None:
        error = body.get("error")
        told: Mapping[str, Any] = error if isinstance(error, Mapping) else {}
        self.status = status
        self.code = str(told.get("code", ""))
        self.type = str(told.get("type", ""))
        self.reason = told.get("reason")
        self.message = str(told.get("message", f"HTTP {status}"))
        self.details: list[Mapping[str, str]] = list(told.get("details") or [])
        self.request_id = told.get("request_id") or request_id
        self.retry_after = retry_after
        fields = "".join(f"; {one.get('field')}: {one.get('message')}" for one in self.details)
        super().__init__(f"{status} {self.code}: {self.message}{fields} (request {self.request_id})")


class InvalidRequestError(ApiError):
    """400, 413, 415, 422: the request itself must change."""


class AuthenticationError(ApiError):
    """401: the key is missing, invalid, revoked or expired."""


class InsufficientCreditsError(ApiError):
    """402: the organization's credits are used up."""


class PermissionDeniedError(ApiError):
    """403: the key lacks the scope or belongs to the other environment."""


class NotFoundError(ApiError):
    """404."""


class ConflictError(ApiError):
    """409: the state of things does not allow it."""


class RateLimitError(ApiError):
    """429, in as many tries as the policy allows."""


KINDS: dict[int, type[ApiError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    402: InsufficientCreditsError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    413: InvalidRequestError,
    415: InvalidRequestError,
    422: InvalidRequestError,
    429: RateLimitError,
}
