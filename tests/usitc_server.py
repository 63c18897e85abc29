"""USITC's service on this machine, with its manners: one release, ranges that may be refused, files that may be
empty."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlparse


class UsitcServer:
    """Serves `rows` by range and `files` by name. `refuse_wide` answers 400 to more than a chapter; `broken` names a
    chapter answered with a page; `releases` are given out one a request, the last for ever."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows
        self.files: dict[str, bytes] = {}
        self.refuse_wide = False
        self.broken = ""
        self.releases = ["2026HTSRev10"]
        self.requests: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.address = f"http://127.0.0.1:{self._server.server_port}/reststop"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, query: dict[str, list[str]]) -> tuple[int, bytes]:
        if path == "/reststop/releaseList":
            name = self.releases.pop(0) if len(self.releases) > 1 else self.releases[0]
            current = {"name": name, "status": "current", "releaseStartDate": "06/08/2026"}
            return 200, json.dumps([{"name": "2026HTSBasic", "status": "archived"}, current]).encode()
        if path == "/reststop/exportList":
            return self._export(query["from"][0], query["to"][0])
        return 200, self.files.get(query.get("filename", [""])[0], b"")

    def _export(self, first: str, last: str) -> tuple[int, bytes]:
        if self.refuse_wide and first[:2] != last[:2]:
            return 400, b"{}"
        if first[:2] == self.broken:
            return 200, b"<!doctype html><html>Maintenance</html>"
        inside, found = False, []
        for row in self.rows:
            code = row["htsno"].replace(".", "")
            inside = first <= code[:4] <= last if code else inside
            if inside:
                found.append(row)
        return 200, json.dumps(found).encode()

    def _handler(outer) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - the handler's own self is inside
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.requests.append(self.path)
                url = urlparse(self.path)
                status, content = outer.answer(url.path, parse_qs(url.query))
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
                """Quiet."""

        return Handler
