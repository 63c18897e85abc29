"""What goes and comes in the examples: one product, and all that is told of it. The trap: an example that contradicts
another; each is said once."""

from __future__ import annotations

from typing import Any

TIME, LATER = "2026-03-01T09:30:00.000Z", "2026-03-01T09:30:01.250Z"

PRODUCT_ID = "product_01jx4m2zq8e6t9v0w3y5r7k1ab"
US_ID = "clf_01jx4m2zqa0c2d4e6f8g9h1j2k"
EU_ID = "clf_01jx4m2zqb3m5n7p9q1r3s5t7v"
BATCH_ID = "batch_01jx4m2zr0w2x4y6z8a0b2c4d6"
REQUEST_ID = "req_01jx4m2zq5k7m9n1p3q5r7s9t1"

GOODS = {
    "name": "Men's T-shirt",
    "description": "Knitted, 100% cotton, short sleeves, crew neck",
    "identifier": "SKU-1042",
    "country_of_origin": "BD",
}
PRODUCT = {"id": PRODUCT_ID, **GOODS, "created_at": TIME}
ACCEPTED_PRODUCT = {name: value for name, value in PRODUCT.items() if name != "description"}


def stub(classification_id: str, schedule: str) -> dict[str, Any]:
    """An accepted classification that waits for its analysis."""
    return {
        "id": classification_id,
        "status": "pending",
        "schedule": schedule,
        "product_identifier": "SKU-1042",
        "poll_url": f"/api/v1/classifications/{classification_id}",
    }


ACCEPTED = {
    "product_id": PRODUCT_ID,
    "product": ACCEPTED_PRODUCT,
    "classifications": [stub(US_ID, "US-HTS"), stub(EU_ID, "EU-CN")],
    "estimated_completion_seconds": 1,
}
ADDITIONAL = {
    "provision": "9903.01.25",
    "text": "Goods of any country, with exceptions",
    "rate": "The duty of the subheading + 10%",
    "why": "May apply: it names no country of origin. It has exceptions.",
    "source": "US-HTS 2026-rev-10, footnote to 6109.10.00: See 9903.01.25.",
}
QUESTION = {
    "id": "6109-value",
    "text": "What is the value? For example: up to 20 USD, over 20 USD.",
    "options": ["up to 20 USD", "over 20 USD"],
    "slot": "value",
    "attribute": "value",
}
RESULT = {
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
    "additional_duties": [ADDITIONAL],
    "units": ["doz.", "kg"],
    "schedule_revision": "2026-rev-10",
    "missing_information": [QUESTION["text"]],
    "questions": [QUESTION],
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
FINAL = {
    "code": "6109100012",
    "description": "T-shirts, knitted > Of cotton > Men's",
    "description_language": "en",
    "decided_by": "engine",
    "decided_at": LATER,
    "revision": "2026-rev-10",
}
COMPLETED = {
    "metadata": {"order": "4711"},
    "id": US_ID,
    "status": "completed",
    "schedule": "US-HTS",
    "product_id": PRODUCT_ID,
    "created_at": TIME,
    "completed_at": LATER,
    "product": GOODS,
    "result": RESULT,
    "usage": {"credits_consumed": 1, "processing_time_ms": 38},
    "final": FINAL,
}
CANCELLED = {
    "id": US_ID,
    "status": "failed",
    "schedule": "US-HTS",
    "product_id": PRODUCT_ID,
    "created_at": TIME,
    "product": GOODS,
    "final": None,
    "error": {"code": "CANCELLED", "message": "The classification was cancelled before its analysis began."},
}
REVIEW = {"decision": "corrected", "code": "6109100011", "note": "All white, no prints"}
REVIEWED = {
    **COMPLETED,
    "final": {
        **FINAL,
        "code": "6109100011",
        "description": "T-shirts, knitted > Of cotton > Men's, all white",
        "decided_by": "person",
        "decided_by_name": "key_01jx4m2zq5k7m9n1p3q5r7s9t1",
        "reason": "All white, no prints",
    },
    "review": {**REVIEW, "reviewed_by": "key_01jx4m2zq5k7m9n1p3q5r7s9t1", "reviewed_at": LATER},
}
SENT_BACK = {
    **COMPLETED,
    "final": None,
    "review": {
        **REVIEW,
        "reviewed_by": "anna@acme.example",
        "reviewed_at": LATER,
        "stage": "sent_back",
        "second_by": "key_01jx4m2zq5k7m9n1p3q5r7s9t1",
        "second_at": LATER,
        "second_note": "Which heading note speaks of prints?",
    },
}
BATCH = {
    "batch_id": BATCH_ID,
    "status": "processing",
    "summary": {"total": 1, "completed": 0, "failed": 0, "pending": 1},
    "created_at": TIME,
}
ITEM = {"id": US_ID, "status": "pending", "schedule": "US-HTS", "product_id": PRODUCT_ID}
ITEM |= {"product_identifier": "SKU-1042"}
POLL_BATCH = f"/api/v1/classifications/bulk/{BATCH_ID}"
SUBMITTED = BATCH | {
    "classifications": [ITEM | {"poll_url": f"/api/v1/classifications/{US_ID}"}],
    "poll_url": POLL_BATCH,
    "estimated_completion_seconds": 1,
}
DECLARED = {**GOODS, "declared_codes": {"US-HTS": "6109.10.00.04"}}
FILED = {
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
TOTALS: dict[str, Any] = {
    "agrees": 0,
    "agrees_in_part": 1,
    "differs": 0,
    "no_such_line": 0,
    "superseded": 0,
    "not_compared": 0,
}
AUDIT_URL = {"poll_url": f"/api/v1/audits/{BATCH_ID}"}
AUDITED = {
    **BATCH,
    "status": "completed",
    "summary": {"total": 1, "completed": 1, "failed": 0, "pending": 0},
    "completed_at": LATER,
    "totals": TOTALS | {"duty_higher": 0, "duty_lower": 0, "risk": 0.0},
    "classifications": [{**ITEM, "status": "completed", "result": RESULT, "filed": FILED, "final": FINAL}],
}
REVISION = {
    "revision": "2026-rev-10",
    "hs_edition": "2022",
    "digest": "5f2c9d",
    "in_force_from": "2026-02-01",
    "lines": 18908,
}
SCHEDULE = {
    "schedule": "US-HTS",
    "schedule_revision": "2026-rev-10",
    "digest": "5f2c9d",
    "in_force_from": "2026-02-01",
    "lines": 18908,
    "starter": False,
    "languages": ["en"],
    "revisions": [{**REVISION, "current": True}],
}
CODE = {
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
    "additional_duties": [ADDITIONAL],
    "footnotes": [{"columns": ["general"], "text": "See 9903.01.25."}],
    "units": [],
    "notes": [],
}
PLACE = {
    "code": "870830",
    "description": "Parts of motor vehicles > Brakes and their parts",
    "description_language": "en",
    "declarable": False,
}
OUTDATED = {
    "id": US_ID,
    "product_id": PRODUCT_ID,
    "product_name": "Cotton T-shirt",
    "product_identifier": "SKU-1042",
    "code": "6109100012",
    "schedule_revision": "2025-rev-30",
    "change": "moved",
    "said": "T-shirts, knitted > Of cotton > Men's",
    "says": "T-shirts, knitted > Of cotton > Men's",
    "successors": ["6109100013"],
}
RULING = {
    "id": "N301234",
    "source": "cross",
    "date": "2018-11-05",
    "subject": "The tariff classification of a T-shirt from Bangladesh",
    "codes": ["6109100012"],
    "status": "in_force",
    "url": None,
}
WEBHOOK = {"url": "https://example.com/hooks/pcs", "event_types": ["classification.completed"], "enabled": True}
ENDPOINT = {
    **WEBHOOK,
    "id": "hook_01jx4m2zq5k7m9n1p3q5r7s9t1",
    "url": "https://warehouse.example.com/hooks/pcs",
    "description": "The warehouse",
    "secret_set": True,
    "created_at": TIME,
    "updated_at": TIME,
}
REPLAY = {
    "id": "replay_01jx4m2zq5k7m9n1p3q5r7s9t1",
    "endpoint_id": ENDPOINT["id"],
    "since": TIME,
    "statuses": ["failed", "skipped"],
    "total": 718,
    "queued": 500,
    "status": "running",
    "created_at": TIME,
    "finished_at": None,
}
NEW_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"  # noqa: S105 (of nobody)
DELIVERY = {
    "id": "dlv_01jx4m2zq5k7m9n1p3q5r7s9t1",
    "endpoint_id": "default",
    "event_id": "evt_01jx4m2zq5k7m9n1p3q5r7s9t1",
    "event_type": "webhook.test",
    "subject_id": "evt_01jx4m2zq5k7m9n1p3q5r7s9t1",
    "product": None,
    "url": WEBHOOK["url"],
    "status": "delivered",
    "progress": "delivered",
    "attempts": 1,
    "created_at": TIME,
    "next_attempt_at": None,
    "finished_at": TIME,
    "last_response_status": 204,
    "last_error": None,
}
ATTEMPT = {"started_at": TIME, "duration_ms": 83, "response_status": 204, "response_body": "", "error": None}
TEST_BODY = {"event": "webhook.test", "timestamp": TIME, "data": {"message": "This is a test."}}
EVENT = {
    "id": DELIVERY["event_id"],
    "event_type": "webhook.test",
    "subject_id": DELIVERY["event_id"],
    "created_at": TIME,
    "body": TEST_BODY,
}

DECIDED_GOODS = {name: GOODS[name] for name in ("name", "description", "identifier")}
DECIDED = {"schedule": "EU-CN", "code": "61091000", "standing": "in_force", "product": DECIDED_GOODS}
DECISION = DECIDED | {
    "id": "dec_01jx4m2zs0w2x4y6z8a0b2c4d6",
    "source": "file",
    "decided_by": "key_01jx4m2zs1w2x4y6z8a0b2c4d6",
    "decided_at": TIME,
    "schedule_revision": "2026",
    "contradicted": False,
}

_BORNE = {"threshold": 0.7134, "share": 0.4, "reviewed": 180, "to_review": 4, "missing": None}
_NOT_YET = {"threshold": None, "share": 0.0, "reviewed": 13, "to_review": 2, "missing": 47}
PROMISE = {
    "right": 0.95,
    "digits": 6,
    "certainty": 0.9,
    "asked_share": 0.05,
    "schedules": [
        {"schedule": "US-HTS", **_BORNE, "computed_at": TIME, "broken": None},
        {"schedule": "EU-CN", **_NOT_YET, "computed_at": TIME, "broken": None},
    ],
}

_PRECISION = {"reviewed": 40, "right": 38, "share": 0.95, "lower": 0.8512, "upper": 0.9910}
_NOT_REVIEWED = {"reviewed": 0, "right": 0, "share": None, "lower": 0.0, "upper": 1.0}
QUALITY = {
    "schedule": "US-HTS",
    "digits": 6,
    "answers": 900,
    "taken": 610,
    "repeated": 120,
    "reviewed": 150,
    "open": 20,
    "missing": None,
    "precision": _PRECISION,
    "bands": [{"confidence": 0.8, **_PRECISION}],
    "chapters": [{"name": "61", "answers": 300, "taken": 210, "precision": _PRECISION}],
    "months": [{"name": "2026-03", "answers": 900, "taken": 610, "precision": _PRECISION}],
    "with_decisions": _NOT_REVIEWED,
    "without_decisions": _PRECISION,
}
EVIDENCE = {
    "format": "pcs-evidence-1",
    "organization": "Acme",
    "environment": "live",
    "classification": COMPLETED,
    "path": [{"code": "61", "description": "Articles of apparel and clothing accessories, knitted or crocheted"}],
    "notes": [{"reference": "Note 1 to Chapter 61", "text": "This chapter applies only to made up knitted articles."}],
    "history": [{"at": TIME, "by": "Ana <ana@acme.example>", "did": "reviewed a classification", "detail": "accepted"}],
    "before": None,
}
