"""The one table of errors: every refusal and fault, its status, and one body for both shapes of the contract.

The trap: validation answered with the framework's 422; here it is 400, and every violation is named."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.routing import compile_path

from pcs.base.database import is_full, is_unavailable
from pcs.base.errors import DamagedError, InvalidRequestError, NotFoundError, RefusalError, Violation
from pcs.classifications.model import NotAnswerableError, NotPendingError
from pcs.http.violations import violation
from pcs.idempotency.model import InProgressError, KeyReusedError
from pcs.organizations.model import ForbiddenError, InsufficientCreditsError, TooManyKeysError, UnauthenticatedError
from pcs.organizations.people import NotPermittedError, SignInRefusedError, ThrottledError
from pcs.organizations.second_factors import FactorExistsError
from pcs.reviews.model import NotReviewableError
from pcs.uploads.model import SubmittedAlreadyError
from pcs.webhooks.model import EndpointTakenError, NotFinishedError, NotReplayableError, TooManyEndpointsError

_log = structlog.get_logger(__name__)

FULL = "The storage is full: stored data can be read, but nothing new is accepted until space is free again."
_MOST_DETAILS = 100


class PayloadTooLargeError(RefusalError):
    """More bytes than the endpoint takes."""


class UnsupportedMediaTypeError(RefusalError):
    """The body is not JSON."""


class RateLimitExceededError(RefusalError):
    """One request too many in the window; `retry_after` in whole seconds, at least 1."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"Too many requests: wait {retry_after} s.")
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """One row of the table."""

    status: int
    code: str
    type: str
    headers: Mapping[str, str] = field(default_factory=dict)


INVALID = ErrorKind(400, "INVALID_REQUEST", "invalid_request_error")
NOT_FOUND = ErrorKind(404, "NOT_FOUND", "not_found_error")
NOT_ALLOWED = ErrorKind(405, "METHOD_NOT_ALLOWED", "invalid_request_error")
CONFLICT = ErrorKind(409, "CONFLICT", "conflict_error")
RATE_LIMITED = ErrorKind(429, "RATE_LIMIT_EXCEEDED", "rate_limit_error")
INTERNAL = ErrorKind(500, "INTERNAL_ERROR", "api_error")
UNAVAILABLE = ErrorKind(503, "SERVICE_UNAVAILABLE", "api_error", {"Retry-After": "5"})

KINDS: dict[type[RefusalError], ErrorKind] = {
    InvalidRequestError: INVALID,
    UnauthenticatedError: ErrorKind(401, "UNAUTHORIZED", "authentication_error", {"WWW-Authenticate": "Bearer"}),
    InsufficientCreditsError: ErrorKind(402, "INSUFFICIENT_CREDITS", "billing_error"),
    ForbiddenError: ErrorKind(403, "FORBIDDEN", "permission_error"),
    NotFoundError: NOT_FOUND,
    TooManyKeysError: CONFLICT,
    NotPendingError: CONFLICT,
    NotAnswerableError: CONFLICT,
    NotReviewableError: CONFLICT,
    NotFinishedError: CONFLICT,
    TooManyEndpointsError: CONFLICT,
    EndpointTakenError: CONFLICT,
    NotReplayableError: CONFLICT,
    InProgressError: ErrorKind(409, "IDEMPOTENCY_IN_PROGRESS", "idempotency_error", {"Retry-After": "1"}),
    PayloadTooLargeError: ErrorKind(413, "PAYLOAD_TOO_LARGE", "invalid_request_error"),
    UnsupportedMediaTypeError: ErrorKind(415, "UNSUPPORTED_MEDIA_TYPE", "invalid_request_error"),
    KeyReusedError: ErrorKind(422, "IDEMPOTENCY_KEY_REUSED", "idempotency_error"),
    DamagedError: UNAVAILABLE,
    RateLimitExceededError: RATE_LIMITED,
    ThrottledError: RATE_LIMITED,
    SignInRefusedError: ErrorKind(401, "UNAUTHORIZED", "authentication_error"),
    NotPermittedError: ErrorKind(403, "FORBIDDEN", "permission_error"),
    SubmittedAlreadyError: CONFLICT,
    FactorExistsError: CONFLICT,
}

_BY_STATUS = {404: NOT_FOUND, 405: NOT_ALLOWED}


def error_response(
    kind: ErrorKind,
    message: str,
    request_id: str,
    *,
    details: Sequence[Violation] = (),
    extra: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """The body that serves both shapes."""
    error: dict[str, Any] = {"type": kind.type, "code": kind.code, **(extra or {})}
    if len(details) > _MOST_DETAILS:
        message += f" The first {_MOST_DETAILS} of {len(details):,} are named."
    error |= {"message": message, "request_id": request_id}
    error["details"] = [{"field": one.field, "message": one.message} for one in details[:_MOST_DETAILS]]
    return JSONResponse({"error": error}, kind.status, {**kind.headers, **(headers or {})})


def kind_of(refusal: type[RefusalError]) -> ErrorKind:
    """The row of a refusal, or of what it is one of; of any other, a conflict: a refusal is never a fault."""
    return next((KINDS[one] for one in refusal.__mro__ if one in KINDS), CONFLICT)


def refusal_response(refusal: RefusalError, request_id: str) -> JSONResponse:
    """The answer to a refusal."""
    kind = kind_of(type(refusal))
    reason = getattr(refusal, "reason", None)
    return error_response(
        kind,
        str(refusal),
        request_id,
        details=refusal.violations if isinstance(refusal, InvalidRequestError) else (),
        extra={"reason": reason} if reason else None,
        headers=_retry_after(refusal),
    )


def _retry_after(refusal: RefusalError) -> dict[str, str] | None:
    seconds = getattr(refusal, "retry_after", None)
    return None if seconds is None else {"Retry-After": str(math.ceil(seconds))}


def fault_response(fault: BaseException, request_id: str) -> JSONResponse:
    """The answer to an exception that nobody named: 503 while the database is away, otherwise 500, and a log entry."""
    if is_full(fault):
        _log.error("storage is full", error=type(fault).__name__)
        return error_response(UNAVAILABLE, FULL, request_id, headers={"Retry-After": "30"})
    if is_unavailable(fault):
        _log.warning("database unavailable", error=type(fault).__name__)
        return error_response(UNAVAILABLE, "The service is not available now; try again shortly.", request_id)
    _log.error("unexpected fault", exc_info=fault)
    return error_response(INTERNAL, "Something went wrong on our side; it is safe to retry.", request_id)


def install_error_handlers(app: FastAPI) -> None:
    """Answer every refusal and fault of an app's endpoints from the table."""

    async def refused(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RefusalError)
        return refusal_response(error, request.state.request_id)

    async def invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        violations = [violation(one) for one in error.errors()]
        return refusal_response(InvalidRequestError(*violations), request.state.request_id)

    async def unrouted(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        kind = _BY_STATUS.get(error.status_code, INVALID)
        message, headers = f"{error.detail}.", dict(error.headers or {})
        if kind is NOT_FOUND:
            message = _nothing_at(app, request.url.path)
        elif kind is NOT_ALLOWED:
            headers["Allow"] = _allowed(app, request.url.path) or headers.get("Allow", "")
            message = f"{request.method} does not work here: use {' or '.join(headers['Allow'].split(', '))}."
        return error_response(kind, message, request.state.request_id, headers=headers)

    async def faulty(request: Request, error: Exception) -> JSONResponse:
        return fault_response(error, request.state.request_id)

    app.add_exception_handler(RefusalError, refused)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, unrouted)
    app.add_exception_handler(Exception, faulty)


def _allowed(app: FastAPI, path: str) -> str:
    """Every method that a path takes, as the interface's document knows them; the framework names some of them."""
    paths: dict[str, dict[str, Any]] = app.openapi()["paths"]
    matching = [paths[path]] if path in paths else [paths[template] for template in paths if _matches(template, path)]
    methods = {method.upper() for operations in matching for method in operations}
    return ", ".join(sorted(methods | ({"HEAD"} if "GET" in methods else set())))


def _nothing_at(app: FastAPI, path: str) -> str:
    bare = path.rstrip("/")
    advice = "leave out the slash at its end" if bare != path and _allowed(app, bare) else "/docs lists every endpoint"
    return f"There is nothing at {path}: {advice}."


def _matches(template: str, path: str) -> bool:
    return compile_path(template)[0].match(path) is not None
