from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pcs.base.publisher import HttpPublisher, PublisherError, RequestPolicy

CONTENT = bytes(range(256)) * 4_000


class FileServer:
    """Serves one file. `cuts` are the lengths after which answers break off; `ranges` says whether it can go on."""

    def __init__(self) -> None:
        self.cuts: list[int] = []
        self.ranges = True
        self.statuses: list[tuple[int, str]] = []
        self.asked: list[str | None] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(outer) -> type[BaseHTTPRequestHandler]:  # noqa: N805 - the handler's own self is inside
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                wanted = self.headers.get("Range")
                outer.asked.append(wanted)
                status, retry = outer.statuses.pop(0) if outer.statuses else (200, "")
                start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and outer.ranges else 0
                body = CONTENT[start:] if status == 200 else b""
                self.send_response(206 if start and status == 200 else status)
                self.send_header("Content-Length", str(len(body)))
                if retry:
                    self.send_header("Retry-After", retry)
                self.end_headers()
                self.wfile.write(body[: outer.cuts.pop(0)] if outer.cuts and status == 200 else body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
                """Quiet."""

        return Handler


@pytest.fixture
def server() -> Iterator[FileServer]:
    serving = FileServer()
    yield serving
    serving.close()


def publisher(server: FileServer, waits: list[float], *, pause: float = 0.0, attempts: int = 4) -> HttpPublisher:
    return HttpPublisher(
        server.address, RequestPolicy(pause=pause, attempts=attempts, first_wait=1.0), sleep=waits.append
    )


def test_a_download_goes_on_where_it_broke_off(server: FileServer, tmp_path: Path) -> None:
    server.cuts = [300_000, 400_000]
    heard: list[tuple[int, int | None]] = []
    with publisher(server, []) as asked:
        asked.download("/file.zip", tmp_path / "file.zip", lambda done, total: heard.append((done, total)))
    assert (tmp_path / "file.zip").read_bytes() == CONTENT
    assert server.asked[0] is None
    assert all(each and each.startswith("bytes=") for each in server.asked[1:])
    assert heard[-1] == (len(CONTENT), len(CONTENT))


def test_a_publisher_that_cannot_go_on_is_read_from_the_start(server: FileServer, tmp_path: Path) -> None:
    server.cuts, server.ranges = [300_000], False
    with publisher(server, []) as asked:
        asked.download("/file.zip", tmp_path / "file.zip")
    assert (tmp_path / "file.zip").read_bytes() == CONTENT


def test_a_download_that_never_ends_leaves_no_target(server: FileServer, tmp_path: Path) -> None:
    server.cuts = [10, 10, 10, 10]
    server.ranges = False
    with publisher(server, []) as asked, pytest.raises(PublisherError, match="after 4 attempts"):
        asked.download("/file.zip", tmp_path / "file.zip")
    assert not (tmp_path / "file.zip").exists()


def test_waits_grow_and_follow_what_the_publisher_asks_for(server: FileServer) -> None:
    server.statuses = [(503, ""), (429, "7"), (503, "90000")]
    waits: list[float] = []
    with publisher(server, waits) as asked:
        assert asked.get("/").content == CONTENT
    assert waits == [1.0, 7.0, 300.0]


def test_requests_keep_their_pause(server: FileServer) -> None:
    waits: list[float] = []
    with publisher(server, waits, pause=5.0) as asked:
        asked.get("/")
        asked.get("/")
    assert len(waits) == 1
    assert 4.0 < waits[0] <= 5.0


def test_a_refusal_is_not_tried_again_and_an_absence_is_an_answer(server: FileServer) -> None:
    server.statuses = [(403, ""), (404, "")]
    with publisher(server, []) as asked:
        with pytest.raises(PublisherError, match="refuses /x: HTTP 403"):
            asked.get("/x")
        assert asked.get("/x").status == 404
    assert len(server.asked) == 2
