"""One example of every request, answer and refusal, shown in `/openapi.json` and `/docs`.

The trap: an example that was right once; a test reads each against the schema that stands beside it."""

from __future__ import annotations

from typing import Any

from pcs.http import example_bodies as bodies
from pcs.http import example_files as files

REQUESTS: dict[str, dict[str, Any]] = {
    "POST /products/classify": {"product": bodies.GOODS, "schedules": ["US-HTS", "EU-CN"]},
    "POST /products": {"product": bodies.GOODS},
    "POST /classifications": {"product_id": bodies.PRODUCT_ID, "schedules": ["EU-CN"]},
    "POST /classifications/bulk": {"products": [bodies.GOODS], "schedules": ["US-HTS"]},
    "POST /schedules/{schedule}/outdated/classify": {"from": "2025-rev-30", "to": "2026-rev-10"},
    "POST /audits": {"products": [bodies.DECLARED]},
    "POST /classifications/{classification_id}/answers": {
        "answers": [{"question": "6109-value", "option": "over 20 USD"}]
    },
    "PUT /classifications/{classification_id}/review": bodies.REVIEW,
    "PUT /classifications/{classification_id}/assignment": {"assigned_to": "anna@acme.example"},
    "POST /classifications/{classification_id}/review/send-back": {"note": "Which heading note speaks of prints?"},
    "POST /decisions/bulk": {"decisions": [{**bodies.DECIDED_GOODS, "schedule": "EU-CN", "code": "6109.10.00"}]},
    "PUT /promise": {"right": 0.95, "digits": 6, "asked_share": 0.05},
    "PUT /webhooks": {**bodies.WEBHOOK, "secret": "a-long-random-text"},
    "POST /webhooks/endpoints": {**bodies.WEBHOOK, "url": bodies.ENDPOINT["url"], "description": "The warehouse"},
    "PATCH /webhooks/endpoints/{endpoint_id}": {"enabled": False},
    "POST /webhooks/endpoints/{endpoint_id}/secret": {"secret": bodies.NEW_SECRET},
    "POST /webhooks/endpoints/{endpoint_id}/replays": {"since": bodies.TIME, "statuses": ["failed", "skipped"]},
}


def _list(item: dict[str, Any]) -> dict[str, Any]:
    return {"data": [item], "has_more": False, "next_cursor": None}


ANSWERS: dict[str, Any] = {
    "POST /products/classify": bodies.ACCEPTED,
    "POST /products": bodies.PRODUCT,
    "GET /products": _list(bodies.PRODUCT),
    "GET /products/{product_id}": {**bodies.PRODUCT, "classifications": [bodies.COMPLETED]},
    "POST /classifications": bodies.ACCEPTED,
    "GET /classifications": _list(bodies.COMPLETED),
    "GET /classifications/{classification_id}": bodies.COMPLETED,
    "POST /classifications/{classification_id}/cancel": bodies.CANCELLED,
    "POST /classifications/{classification_id}/answers": {
        "supersedes": bodies.US_ID,
        "classifications": [bodies.stub(bodies.EU_ID, "US-HTS")],
        "estimated_completion_seconds": 1,
    },
    "PUT /classifications/{classification_id}/review": bodies.REVIEWED,
    "PUT /classifications/{classification_id}/assignment": {**bodies.COMPLETED, "assigned_to": "anna@acme.example"},
    "POST /classifications/{classification_id}/review/send-back": bodies.SENT_BACK,
    "GET /classifications/{classification_id}/evidence.json": bodies.EVIDENCE,
    "POST /classifications/bulk": bodies.SUBMITTED,
    "GET /classifications/bulk": _list(bodies.BATCH),
    "GET /classifications/bulk/{batch_id}": {**bodies.BATCH, "classifications": [bodies.ITEM | {"final": None}]},
    "POST /uploads": files.UPLOAD,
    "GET /uploads/{upload_id}": files.UPLOAD,
    "POST /audits": bodies.SUBMITTED | bodies.AUDIT_URL,
    "GET /audits": _list(bodies.BATCH),
    "GET /audits/{batch_id}": bodies.AUDITED,
    "POST /decisions/bulk": {"added": 1, "changed": 0, "not_in_force": []},
    "GET /decisions": _list(bodies.DECISION),
    "PUT /promise": bodies.PROMISE,
    "GET /promise": bodies.PROMISE,
    "GET /quality": {"environment": "live", "schedules": [bodies.QUALITY]},
    "PUT /webhooks": {**bodies.WEBHOOK, "secret_set": True, "created_at": bodies.TIME, "updated_at": bodies.TIME},
    "GET /webhooks": {**bodies.WEBHOOK, "secret_set": True, "created_at": bodies.TIME, "updated_at": bodies.TIME},
    "GET /webhooks/endpoints": {"data": [bodies.ENDPOINT]},
    "POST /webhooks/endpoints": {**bodies.ENDPOINT, "secret": bodies.NEW_SECRET},
    "GET /webhooks/endpoints/{endpoint_id}": bodies.ENDPOINT,
    "PATCH /webhooks/endpoints/{endpoint_id}": {**bodies.ENDPOINT, "enabled": False},
    "POST /webhooks/endpoints/{endpoint_id}/secret": {**bodies.ENDPOINT, "secret": bodies.NEW_SECRET},
    "POST /webhooks/endpoints/{endpoint_id}/replays": bodies.REPLAY,
    "GET /webhooks/endpoints/{endpoint_id}/replays/{replay_id}": bodies.REPLAY,
    "POST /webhooks/endpoints/{endpoint_id}/test": {"delivery_id": bodies.DELIVERY["id"]},
    "POST /webhooks/test": {"delivery_id": bodies.DELIVERY["id"]},
    "GET /events": _list(bodies.EVENT),
    "GET /webhooks/deliveries": _list(bodies.DELIVERY),
    "GET /webhooks/deliveries/{delivery_id}": {
        **bodies.DELIVERY,
        "body": bodies.TEST_BODY,
        "attempt_history": [bodies.ATTEMPT],
    },
    "POST /webhooks/deliveries/{delivery_id}/redeliver": {"delivery_id": bodies.DELIVERY["id"]},
    "GET /me": {
        "organization": {"id": "org_01jx4m2zq5k7m9n1p3q5r7s9t1", "name": "Acme", "review_below": 0.5},
        "environment": "live",
        "api_key": {
            "id": "key_01jx4m2zq5k7m9n1p3q5r7s9t1",
            "name": "shop",
            "last_four": "x7Qa",
            "scopes": ["classifications:read", "classifications:write"],
            "created_at": bodies.TIME,
            "expires_at": None,
        },
        "rate_limit_per_minute": 100,
    },
    "GET /usage": {
        "environment": "live",
        "from": "2026-02-01",
        "to": "2026-03-01",
        "credits_consumed": 1,
        "credits_consumed_in_all": 1,
        "credit_limit": None,
        "reviewer": {
            "requests": 6,
            "input_tokens": 17000,
            "output_tokens": 480,
            "cost": 0.0582,
            "currency": "USD",
            "confirmed": 1,
            "changed": 0,
            "stood": 0,
        },
        "days": [
            {"date": "2026-03-01", "schedule": "US-HTS", "credits_consumed": 1, "completed": 1, "failed": 0},
        ],
    },
    "GET /requests": _list(files.LOGGED),
    "GET /requests/{request_id}": {**files.LOGGED, **files.LOGGED_BODIES},
    "GET /schedules": _list(bodies.SCHEDULE),
    "GET /schedules/{schedule}/codes/{code}": bodies.CODE,
    "GET /schedules/{schedule}/search": {
        "schedule": "US-HTS",
        "schedule_revision": "2026-rev-10",
        "data": [bodies.PLACE, {**bodies.PLACE, "code": "8708305040", "declarable": True}],
    },
    "GET /schedules/{schedule}/outdated": {
        **_list(bodies.OUTDATED),
        "schedule": "US-HTS",
        "before": "2025-rev-30",
        "after": "2026-rev-10",
        "codes": 321,
        "total": 1,
    },
    "POST /schedules/{schedule}/outdated/classify": {"batches": [bodies.BATCH], "accepted": 1, "left": 0},
    "GET /rulings": {"data": [bodies.RULING]},
    "GET /rulings/{reference}": {**bodies.RULING, "text": "The goods are …", "grounds": "", "valid_to": None},
    "GET /sandbox/scenarios": {
        "data": [{"identifier": "sbx-fail", "description": "The classification fails with CLASSIFICATION_ERROR."}]
    },
}


def _refusal(
    kind: str, code: str, message: str, *, reason: str | None = None, details: tuple[dict[str, str], ...] = ()
) -> dict[str, Any]:
    why = {"reason": reason} if reason else {}
    error = {"type": kind, "code": code, **why, "message": message, "request_id": bodies.REQUEST_ID}
    return {"error": {**error, "details": list(details)}}


REFUSALS: dict[int, dict[str, Any]] = {
    400: _refusal(
        "invalid_request_error",
        "INVALID_REQUEST",
        "The request is not valid; `details` names each field.",
        details=({"field": "product.name", "message": "is required"},),
    ),
    401: _refusal("authentication_error", "UNAUTHORIZED", "The API key is not valid.", reason="invalid_api_key"),
    402: _refusal(
        "billing_error", "INSUFFICIENT_CREDITS", "The organization's limit of 10 credits does not cover 2 more."
    ),
    403: _refusal(
        "permission_error",
        "FORBIDDEN",
        "A test key does not work in the live environment.",
        reason="wrong_environment",
    ),
    404: _refusal("not_found_error", "NOT_FOUND", f"There is no classification {bodies.US_ID}."),
    409: _refusal(
        "idempotency_error", "IDEMPOTENCY_IN_PROGRESS", "A request with this Idempotency-Key is still in progress."
    ),
    413: _refusal("invalid_request_error", "PAYLOAD_TOO_LARGE", "The body has more than 256 KiB."),
    415: _refusal(
        "invalid_request_error", "UNSUPPORTED_MEDIA_TYPE", "Send a JSON body with Content-Type: application/json."
    ),
    422: _refusal(
        "idempotency_error", "IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key was used with a different body."
    ),
    429: _refusal("rate_limit_error", "RATE_LIMIT_EXCEEDED", "Too many requests: wait 17 s."),
    500: _refusal("api_error", "INTERNAL_ERROR", "Something went wrong on our side; it is safe to retry."),
    503: _refusal("api_error", "SERVICE_UNAVAILABLE", "The service is not available now; try again shortly."),
}
