"""One example of every request, answer and refusal, shown in `/openapi.json` and `/docs`.

The trap: an example that was right once; a test reads each against the schema that stands beside it."""

from __future__ import annotations

from typing import Any

_TIME, _LATER = "2026-03-01T09:30:00.000Z", "2026-03-01T09:30:01.250Z"
_PRODUCT_ID = "product_01jx4m2zq8e6t9v0w3y5r7k1ab"
_US_ID = "clf_01jx4m2zqa0c2d4e6f8g9h1j2k"
_EU_ID = "clf_01jx4m2zqb3m5n7p9q1r3s5t7v"
_BATCH_ID = "batch_01jx4m2zr0w2x4y6z8a0b2c4d6"
_REQUEST_ID = "req_01jx4m2zq5k7m9n1p3q5r7s9t1"

_GOODS = {
    "name": "Men's T-shirt",
    "description": "Knitted, 100% cotton, short sleeves, crew neck",
    "identifier": "SKU-1042",
    "country_of_origin": "BD",
}
_PRODUCT = {"id": _PRODUCT_ID, **_GOODS, "created_at": _TIME}
_ACCEPTED_PRODUCT = {name: value for name, value in _PRODUCT.items() if name != "description"}


def _stub(classification_id: str, schedule: str) -> dict[str, Any]:
    return {
        "id": classification_id,
        "status": "pending",
        "schedule": schedule,
        "product_identifier": "SKU-1042",
        "poll_url": f"/api/v1/classifications/{classification_id}",
    }


_ACCEPTED = {
    "product_id": _PRODUCT_ID,
    "product": _ACCEPTED_PRODUCT,
    "classifications": [_stub(_US_ID, "US-HTS"), _stub(_EU_ID, "EU-CN")],
    "estimated_completion_seconds": 1,
}
_ADDITIONAL = {
    "provision": "9903.01.25",
    "text": "Goods of any country, with exceptions",
    "rate": "The duty of the subheading + 10%",
    "why": "May apply: it names no country of origin. It has exceptions.",
    "source": "US-HTS 2026-rev-10, footnote to 6109.10.00: See 9903.01.25.",
}
_QUESTION = {
    "id": "6109-value",
    "text": "What is the value? For example: up to 20 USD, over 20 USD.",
    "options": ["up to 20 USD", "over 20 USD"],
    "slot": "value",
    "attribute": "value",
}
_RESULT = {
    "hts_code": "6109100012",
    "hts_description": "T-shirts, knitted > Of cotton > Men's",
    "description_language": "en",
    "supporting_rulings": [],
    "reasoning": "A knitted cotton T-shirt: heading 6109 names it (rule 1); of cotton, so 6109.10 (rule 6).",
    "confidence": 0.93,
    "confident_digits": 10,
    "likely_headings": ["6109"],
    "likely_subheadings": ["610910", "610990"],
    "alternatives": [
        {
            "code": "6109901007",
            "description": "T-shirts, knitted > Of other materials > Of man-made fibres",
            "confidence": 0.04,
            "separated_by": "the fibre that predominates by weight",
        }
    ],
    "hierarchy": [
        {"code": "61", "description": "Apparel, knitted", "confidence": 0.99},
        {"code": "6109", "description": "T-shirts, knitted", "confidence": 0.98},
        {"code": "610910", "description": "Of cotton", "confidence": 0.97},
    ],
    "gri_applied": ["1", "6"],
    "rulings": [],
    "duty": {"general": "16.5%", "special": None, "other": None},
    "duty_column": 1,
    "special_rates": [],
    "additional_duties": [_ADDITIONAL],
    "units": ["doz.", "kg"],
    "schedule_revision": "2026-rev-10",
    "missing_information": [_QUESTION["text"]],
    "questions": [_QUESTION],
    "needs_review": False,
    "decision": None,
    "precedents": [],
    "reading": {
        "goods": "t-shirt",
        "made_of": [{"part": "", "material": "cotton", "share": 100.0}],
        "measures": [{"what": "weight per area", "value": "180 g/m2"}],
        "denied": [],
        "purpose": ["for men"],
    },
}
_FINAL = {
    "code": "6109100012",
    "description": "T-shirts, knitted > Of cotton > Men's",
    "description_language": "en",
    "decided_by": "engine",
    "decided_at": _LATER,
    "revision": "2026-rev-10",
}
_COMPLETED = {
    "id": _US_ID,
    "status": "completed",
    "schedule": "US-HTS",
    "product_id": _PRODUCT_ID,
    "created_at": _TIME,
    "completed_at": _LATER,
    "product": _GOODS,
    "result": _RESULT,
    "usage": {"credits_consumed": 1, "processing_time_ms": 38},
    "final": _FINAL,
}
_CANCELLED = {
    "id": _US_ID,
    "status": "failed",
    "schedule": "US-HTS",
    "product_id": _PRODUCT_ID,
    "created_at": _TIME,
    "product": _GOODS,
    "final": None,
    "error": {"code": "CANCELLED", "message": "The classification was cancelled before its analysis began."},
}
_REVIEW = {"decision": "corrected", "code": "6109100011", "note": "All white, no prints"}
_REVIEWED = {
    **_COMPLETED,
    "final": {
        **_FINAL,
        "code": "6109100011",
        "description": "T-shirts, knitted > Of cotton > Men's, all white",
        "decided_by": "person",
        "decided_by_name": "key_01jx4m2zq5k7m9n1p3q5r7s9t1",
        "reason": "All white, no prints",
    },
    "review": {**_REVIEW, "reviewed_by": "key_01jx4m2zq5k7m9n1p3q5r7s9t1", "reviewed_at": _LATER},
}
_BATCH = {
    "batch_id": _BATCH_ID,
    "status": "processing",
    "summary": {"total": 1, "completed": 0, "failed": 0, "pending": 1},
    "created_at": _TIME,
}
_ITEM = {"id": _US_ID, "status": "pending", "schedule": "US-HTS", "product_id": _PRODUCT_ID}
_ITEM |= {"product_identifier": "SKU-1042"}
_POLL_BATCH = f"/api/v1/classifications/bulk/{_BATCH_ID}"
_SUBMITTED = _BATCH | {
    "classifications": [_ITEM | {"poll_url": f"/api/v1/classifications/{_US_ID}"}],
    "poll_url": _POLL_BATCH,
    "estimated_completion_seconds": 1,
}
_DECLARED = {**_GOODS, "declared_codes": {"US-HTS": "6109.10.00.04"}}
_FILED = {
    "agreement": "agrees_in_part",
    "said": "agrees to 8 digits",
    "code": "6109100004",
    "description": "T-shirts, knitted > Of cotton > All white",
    "reason": "Both are in 6109.10.00. 6109.10.00.04 is for “All white”, 6109.10.00.12 for “Men's”.",
    "agreeing_digits": 8,
    "confidence": 0.93,
    "successors": [],
    "filed_duty": "16.5%",
    "found_duty": "16.5%",
    "duty_difference": 0.0,
    "risk": 0.0,
}
_TOTALS: dict[str, Any] = {
    "agrees": 0,
    "agrees_in_part": 1,
    "differs": 0,
    "no_such_line": 0,
    "superseded": 0,
    "not_compared": 0,
}
_AUDIT_URL = {"poll_url": f"/api/v1/audits/{_BATCH_ID}"}
_AUDITED = {
    **_BATCH,
    "status": "completed",
    "summary": {"total": 1, "completed": 1, "failed": 0, "pending": 0},
    "completed_at": _LATER,
    "totals": _TOTALS | {"duty_higher": 0, "duty_lower": 0, "risk": 0.0},
    "classifications": [{**_ITEM, "status": "completed", "result": _RESULT, "filed": _FILED, "final": _FINAL}],
}
_REVISION = {
    "revision": "2026-rev-10",
    "hs_edition": "2022",
    "digest": "5f2c9d",
    "in_force_from": "2026-02-01",
    "lines": 18908,
}
_SCHEDULE = {
    "schedule": "US-HTS",
    "schedule_revision": "2026-rev-10",
    "digest": "5f2c9d",
    "in_force_from": "2026-02-01",
    "lines": 18908,
    "starter": False,
    "languages": ["en"],
    "revisions": [{**_REVISION, "current": True}],
}
_CODE = {
    "schedule": "US-HTS",
    "schedule_revision": "2026-rev-10",
    "code": "610910",
    "text": "Of cotton",
    "description": "T-shirts, knitted > Of cotton",
    "description_language": "en",
    "declarable": False,
    "implied": False,
    "path": [{"code": "61", "text": "Apparel, knitted"}, {"code": "6109", "text": "T-shirts, knitted"}],
    "children": [{"code": "6109100012", "text": "Men's", "declarable": True, "children": []}],
    "duty": {"general": "16.5%", "special": "", "other": "90%"},
    "duty_column": None,
    "special_rates": [],
    "additional_duties": [_ADDITIONAL],
    "footnotes": [{"columns": ["general"], "text": "See 9903.01.25."}],
    "units": [],
    "notes": [],
}
_OUTDATED = {
    "id": _US_ID,
    "product_id": _PRODUCT_ID,
    "product_name": "Cotton T-shirt",
    "product_identifier": "SKU-1042",
    "code": "6109100012",
    "schedule_revision": "2025-rev-30",
    "change": "moved",
    "said": "T-shirts, knitted > Of cotton > Men's",
    "says": "T-shirts, knitted > Of cotton > Men's",
    "successors": ["6109100013"],
}
_RULING = {
    "id": "N301234",
    "source": "cross",
    "date": "2018-11-05",
    "subject": "The tariff classification of a T-shirt from Bangladesh",
    "codes": ["6109100012"],
    "status": "in_force",
    "url": None,
}
_WEBHOOK = {"url": "https://example.com/hooks/pcs", "event_types": ["classification.completed"], "enabled": True}
_DELIVERY = {
    "id": "dlv_01jx4m2zq5k7m9n1p3q5r7s9t1",
    "event_id": "evt_01jx4m2zq5k7m9n1p3q5r7s9t1",
    "event_type": "webhook.test",
    "subject_id": "evt_01jx4m2zq5k7m9n1p3q5r7s9t1",
    "url": _WEBHOOK["url"],
    "status": "delivered",
    "attempts": 1,
    "created_at": _TIME,
    "next_attempt_at": None,
    "finished_at": _TIME,
    "last_response_status": 204,
    "last_error": None,
}
_ATTEMPT = {"started_at": _TIME, "duration_ms": 83, "response_status": 204, "response_body": "", "error": None}
_TEST_BODY = {"event": "webhook.test", "timestamp": _TIME, "data": {"message": "This is a test."}}

_DECISION_ID = "dec_01jx4m2zs0w2x4y6z8a0b2c4d6"
_DECIDED_GOODS = {name: _GOODS[name] for name in ("name", "description", "identifier")}
_DECISION = {
    **{"id": _DECISION_ID, "schedule": "EU-CN", "code": "61091000", "standing": "in_force", "product": _DECIDED_GOODS},
    **{"source": "file", "decided_by": "key_01jx4m2zs1w2x4y6z8a0b2c4d6", "decided_at": _TIME},
    **{"schedule_revision": "2026", "contradicted": False},
}

REQUESTS: dict[str, dict[str, Any]] = {
    "POST /products/classify": {"product": _GOODS, "schedules": ["US-HTS", "EU-CN"]},
    "POST /products": {"product": _GOODS},
    "POST /classifications": {"product_id": _PRODUCT_ID, "schedules": ["EU-CN"]},
    "POST /classifications/bulk": {"products": [_GOODS], "schedules": ["US-HTS"]},
    "POST /schedules/{schedule}/outdated/classify": {"from": "2025-rev-30", "to": "2026-rev-10"},
    "POST /audits": {"products": [_DECLARED]},
    "POST /classifications/{classification_id}/answers": {
        "answers": [{"question": "6109-value", "option": "over 20 USD"}]
    },
    "PUT /classifications/{classification_id}/review": _REVIEW,
    "POST /decisions/bulk": {"decisions": [{**_DECIDED_GOODS, "schedule": "EU-CN", "code": "6109.10.00"}]},
    "PUT /webhooks": {**_WEBHOOK, "secret": "a-long-random-text"},
}


def _list(item: dict[str, Any]) -> dict[str, Any]:
    return {"data": [item], "has_more": False, "next_cursor": None}


ANSWERS: dict[str, Any] = {
    "POST /products/classify": _ACCEPTED,
    "POST /products": _PRODUCT,
    "GET /products": _list(_PRODUCT),
    "GET /products/{product_id}": {**_PRODUCT, "classifications": [_COMPLETED]},
    "POST /classifications": _ACCEPTED,
    "GET /classifications": _list(_COMPLETED),
    "GET /classifications/{classification_id}": _COMPLETED,
    "POST /classifications/{classification_id}/cancel": _CANCELLED,
    "POST /classifications/{classification_id}/answers": {
        "supersedes": _US_ID,
        "classifications": [_stub(_EU_ID, "US-HTS")],
        "estimated_completion_seconds": 1,
    },
    "PUT /classifications/{classification_id}/review": _REVIEWED,
    "POST /classifications/bulk": _SUBMITTED,
    "GET /classifications/bulk": _list(_BATCH),
    "GET /classifications/bulk/{batch_id}": {**_BATCH, "classifications": [_ITEM | {"final": None}]},
    "POST /audits": _SUBMITTED | _AUDIT_URL,
    "GET /audits": _list(_BATCH),
    "GET /audits/{batch_id}": _AUDITED,
    "POST /decisions/bulk": {"added": 1, "changed": 0, "not_in_force": []},
    "GET /decisions": _list(_DECISION),
    "PUT /webhooks": {**_WEBHOOK, "secret_set": True, "created_at": _TIME, "updated_at": _TIME},
    "GET /webhooks": {**_WEBHOOK, "secret_set": True, "created_at": _TIME, "updated_at": _TIME},
    "POST /webhooks/test": {"delivery_id": _DELIVERY["id"]},
    "GET /webhooks/deliveries": _list(_DELIVERY),
    "GET /webhooks/deliveries/{delivery_id}": {**_DELIVERY, "body": _TEST_BODY, "attempt_history": [_ATTEMPT]},
    "POST /webhooks/deliveries/{delivery_id}/redeliver": {"delivery_id": _DELIVERY["id"]},
    "GET /me": {
        "organization": {"id": "org_01jx4m2zq5k7m9n1p3q5r7s9t1", "name": "Acme", "review_below": 0.5},
        "environment": "live",
        "api_key": {
            "id": "key_01jx4m2zq5k7m9n1p3q5r7s9t1",
            "name": "shop",
            "last_four": "x7Qa",
            "scopes": ["classifications:read", "classifications:write"],
            "created_at": _TIME,
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
    "GET /schedules": _list(_SCHEDULE),
    "GET /schedules/{schedule}/codes/{code}": _CODE,
    "GET /schedules/{schedule}/outdated": {
        **_list(_OUTDATED),
        "schedule": "US-HTS",
        "before": "2025-rev-30",
        "after": "2026-rev-10",
        "codes": 321,
        "total": 1,
    },
    "POST /schedules/{schedule}/outdated/classify": {"batches": [_BATCH], "accepted": 1, "left": 0},
    "GET /rulings": {"data": [_RULING]},
    "GET /rulings/{reference}": {**_RULING, "text": "The goods are …", "grounds": "", "valid_to": None},
    "GET /sandbox/scenarios": {
        "data": [{"identifier": "sbx-fail", "description": "The classification fails with CLASSIFICATION_ERROR."}]
    },
}


def _refusal(
    kind: str, code: str, message: str, *, reason: str | None = None, details: tuple[dict[str, str], ...] = ()
) -> dict[str, Any]:
    why = {"reason": reason} if reason else {}
    error = {"type": kind, "code": code, **why, "message": message, "request_id": _REQUEST_ID}
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
    404: _refusal("not_found_error", "NOT_FOUND", f"There is no classification {_US_ID}."),
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
