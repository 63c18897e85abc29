"""The document of the interface: every status that an endpoint can answer, every header, an example of each.

The trap: a document beside the code that nobody keeps true; statuses are declared where the endpoint is, headers come
from the layers that send them, and Schemathesis compares the document with what is really answered."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic.json_schema import models_json_schema

from pcs.http import interface
from pcs.http.examples import ANSWERS, REFUSALS, REQUESTS
from pcs.wire.base import API_PREFIX, ErrorBody
from pcs.wire.events import EVENTS, kind_of

Responses = dict[int | str, dict[str, Any]]

_ALWAYS = (401, 403, 429, 500, 503)
_MEANINGS = {
    400: "A malformed body or query, or a missing or invalid field: `details` names each.",
    401: "A missing, invalid, revoked or expired API key.",
    402: "The organization's credit limit does not cover the request.",
    403: "The key lacks the scope, or belongs to the other environment.",
    404: "Not found, or not visible to this API key.",
    409: "The current state does not allow it, or a request with this Idempotency-Key is still in progress.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    422: "The Idempotency-Key was used with a different body.",
    429: "Too many requests.",
    500: "A fault on our side; safe to retry with backoff.",
    503: "Not available now; try again shortly.",
}
_TEXT, _NUMBER = {"type": "string"}, {"type": "integer"}
_COMMON_HEADERS = {
    "X-Request-ID": {"description": "A unique identifier of this request.", "schema": _TEXT},
    "X-RateLimit-Limit": {"description": "Maximum requests per minute.", "schema": _NUMBER},
    "X-RateLimit-Remaining": {"description": "Requests left in the current window.", "schema": _NUMBER},
    "X-RateLimit-Reset": {"description": "Unix timestamp when the window resets.", "schema": _NUMBER},
    "Cache-Control": {"description": "`no-store`", "schema": _TEXT},
}
_RETRY_AFTER = {"description": "Seconds to wait before the next try.", "schema": _NUMBER}
_TAGGED = {"ETag": {"description": "Give it as `If-None-Match`: 304 while the answer is the same.", "schema": _TEXT}}
_OWN_HEADERS: dict[str, dict[str, Any]] = {
    "304": _TAGGED,
    "401": {"WWW-Authenticate": {"description": "`Bearer`", "schema": _TEXT}},
    "409": {"Retry-After": _RETRY_AFTER},
    "429": {"Retry-After": _RETRY_AFTER | {"required": True}},
    "503": {"Retry-After": _RETRY_AFTER},
}
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Repeating a request with the same key and body within 24 hours replays its answer, once done.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]([ -~]*[!-~])?$"},
    "example": "order-4711",
}
_REFERENCE = "#/components/schemas/{model}"
_ERROR = {"$ref": _REFERENCE.format(model=ErrorBody.__name__)}
_REPLAYED = {"description": "`true` if this repeats the answer to an earlier request.", "schema": _TEXT}


def refusing(*statuses: int) -> Responses:
    """What an endpoint may answer but success: these and those that any endpoint may."""
    return {status: {"model": ErrorBody, "description": _MEANINGS[status]} for status in sorted({*statuses, *_ALWAYS})}


def changing(*statuses: int) -> Responses:
    """The refusals of an endpoint that takes a body."""
    return refusing(400, 413, 415, *statuses)


def creating(*statuses: int, charged: bool) -> Responses:
    """The refusals of an endpoint that takes a body and an Idempotency-Key, and may cost credits."""
    return changing(409, 422, *statuses, *((402,) if charged else ()))


def operation_id(route: APIRoute) -> str:
    """A name for generated clients: the endpoint's function, which says what is done to what."""
    return route.name


def install_document(app: FastAPI) -> None:
    """Serve the completed document as `/openapi.json`."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            made = get_openapi(
                title=app.title,
                version=app.version,
                description=interface.DESCRIPTION,
                license_info=interface.LICENSE,
                servers=interface.SERVERS,
                tags=interface.tags(),
                routes=app.routes,
            )
            app.openapi_schema = _completed(made)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign] # FastAPI's own way of replacing it


def _webhooks(schemas: dict[str, Any]) -> dict[str, Any]:
    """Every event that a receiver may get, its body in the shapes of the API's own answers, which join `schemas`."""
    shapes, shared = models_json_schema([(event, "serialization") for event in EVENTS], ref_template=_REFERENCE)
    schemas.update(shared["$defs"])
    told = {"200": {"description": "Any 2xx within ten seconds; anything else is retried after 1, 5 and 30 minutes."}}
    return {
        kind_of(event): {
            "post": {
                "operationId": event.__name__,
                "security": [],  # the receiver's own: deliveries are signed
                "summary": (event.__doc__ or "").partition(":")[0].rstrip("."),
                "requestBody": {"content": {"application/json": {"schema": shapes[event, "serialization"]}}},
                "responses": told,
            }
        }
        for event in EVENTS
    }


def _completed(document: dict[str, Any]) -> dict[str, Any]:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            _complete(f"{method.upper()} {path.removeprefix(API_PREFIX)}", operation)
    schemas = document["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    document["webhooks"] = _webhooks(schemas)
    return document


def _complete(name: str, operation: dict[str, Any]) -> None:
    responses = operation["responses"]
    if responses.get("422", {}).get("description") != _MEANINGS[422]:
        responses.pop("422", None)  # the framework's own, which is never sent
    if "422" in responses:
        operation.setdefault("parameters", []).append(_IDEMPOTENCY_KEY)
    for status, response in responses.items():
        response["headers"] = _COMMON_HEADERS | _OWN_HEADERS.get(status, {})
        if status.startswith("2"):
            _complete_success(name, response, replayed="422" in responses)
            response["headers"] |= _TAGGED if "304" in responses else {}
        elif status != "304":
            refusal = {"schema": _ERROR, "example": REFUSALS[int(status)]}
            response["content"] = {"application/json": refusal}  # also where a success is a page
    if name in REQUESTS:
        operation["requestBody"]["content"]["application/json"]["example"] = REQUESTS[name]


def _complete_success(name: str, response: dict[str, Any], *, replayed: bool) -> None:
    if replayed:
        response["headers"] |= {"Idempotent-Replayed": _REPLAYED}
    if "application/json" in response.get("content", {}):
        response["content"]["application/json"]["example"] = ANSWERS[name]
