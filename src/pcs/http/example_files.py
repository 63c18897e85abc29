"""What goes and comes in the examples of files and of the request log. The trap: an example that contradicts another;
ids and times are those of the other examples."""

from __future__ import annotations

from pcs.http.example_bodies import REQUEST_ID, TIME

UPLOAD_ID = "upload_01jx4m2zq5k7m9n1p3q5r7s9t1"
UPLOAD = {
    "upload_id": UPLOAD_ID,
    "file_name": "goods.csv",
    "status": "processing",
    "schedules": ["US-HTS"],
    "columns": {"name": "Bezeichnung", "identifier": "SKU"},
    "rows": 3,
    "accepted": 2,
    "left_out": 1,
    "problems": [{"row": 4, "message": "name is needed (column B, Bezeichnung)"}],
    "summary": {"total": 2, "completed": 0, "failed": 0, "pending": 2},
    "stopped": None,
    "created_at": TIME,
    "poll_url": f"/api/v1/uploads/{UPLOAD_ID}",
    "result_url": f"/api/v1/uploads/{UPLOAD_ID}/result",
}
LOGGED = {
    "request_id": REQUEST_ID,
    "api_key": {"id": "key_01jx4m2zq5k7m9n1p3q5r7s9t1", "name": "shop", "last_four": "x7Qa"},
    "method": "PUT",
    "path": "/api/v1/webhooks",
    "query": "",
    "status": 400,
    "duration_ms": 3.1,
    "created_at": TIME,
}
LOGGED_BODIES = {
    "request_body": {"url": "ftp://example.com/", "secret": "[redacted]"},
    "response_body": {
        "error": {
            "type": "invalid_request_error",
            "code": "INVALID_REQUEST",
            "message": "The request is not valid; `details` names each field.",
            "request_id": REQUEST_ID,
            "details": [{"field": "url", "message": "must begin with https://"}],
        }
    },
}
