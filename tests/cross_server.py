"""A publisher on this machine, in the shape of CROSS, with faults on demand."""

from __future__ import annotations

import datetime as dt
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlparse


class CrossServer:
    """Serves rulings by day and page. A request consumes a fault: html, empty, 403, 503, cut, wrong_count, other."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.faults: list[str] = []
        self.requests: list[str] = []
        self.page_size = 250
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.address = f"http://127.0.0.1:{self._server.server_port}/api"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def add(self, number: str, day: dt.date, **fields: Any) -> None:
        row: dict[str, Any] = {"rulingNumber": number, "rulingDate": f"{day}T00:00:00", "subject": f"Goods of {number}"}
        row |= {
            "tariffs": "6109.10.0012, 8471.30.0100",
            "operationallyRevoked": False,
            "revokedBy": [],
            "modifiedBy": [],
        }
        self.rows.append(row | {"revokes": [], "modifies": [], "relatedRulings": []} | fields)

    def add_many(self, count: int, first: dt.date) -> None:
        for number in range(count):
            self.add(f"N{300000 + number}", first + dt.timedelta(days=number % 90))

    def answer(self, path: str, query: dict[str, list[str]]) -> tuple[int, str, bytes]:
        if path == "/api/search":
            first, last = query["fromDate"][0], query["toDate"][0]
            found = sorted((row for row in self.rows if first <= row["rulingDate"][:10] <= last), key=str, reverse=True)
            size, page = min(self.page_size, int(query["pageSize"][0])), int(query["page"][0])
            rows = [{**row, "text": None} for row in found[(page - 1) * size : page * size]]
            return 200, "application/json", json.dumps({"rulings": rows, "totalHits": len(found)}).encode()
        row = next((row for row in self.rows if path == f"/api/ruling/{row['rulingNumber']}"), None)
        if row is None:
            return 200, "text/html", b"<!doctype html><html>The application</html>"
        detail = {"rulingNumber": row["rulingNumber"], "text": f"The letter on {row['rulingNumber']}", "tariffs": None}
        return 200, "application/json", json.dumps(detail | row.get("detail", {})).encode()

    def _handler(outer) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - the handler's own self is inside
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.requests.append(self.path)
                url = urlparse(self.path)
                fault = outer.faults.pop(0) if outer.faults else ""
                status, kind, content = outer.answer(url.path, parse_qs(url.query))
                if fault == "html":
                    kind, content = "text/html", b"<!doctype html><html><body>Sorry</body></html>"
                elif fault == "empty":
                    content = b""
                elif fault.isdigit():
                    status, content = int(fault), b"no"
                elif fault == "wrong_count":
                    content = json.dumps(json.loads(content) | {"totalHits": 9_000}).encode()
                elif fault == "other":
                    content = json.dumps({"rulingNumber": "H999999", "text": "of another"}).encode()
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content[: len(content) // 2] if fault == "cut" else content)
                self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
                """Quiet."""

        return Handler
