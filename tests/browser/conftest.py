"""A real browser before real processes: `pcs up` on free ports, Debian's Chromium, axe-core from npm.

The trap: a page that looks well and complains in the console; every error there fails the test that saw it."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from browser.windows import EMAIL, PASSWORD, Complaints, Dashboard, Inbox, Serving

ROOT = Path(__file__).parents[2]
AXE = Path(os.environ.get("PCS_AXE", ROOT / ".venv" / "axe" / "node_modules" / "axe-core" / "axe.min.js"))
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def serving() -> Iterator[Serving]:
    """`pcs up` with a worker, on an empty data folder."""
    folder = Path(tempfile.mkdtemp(prefix="pcs-browser-"))
    folder.chmod(0o755)
    ours = {name: value for name, value in os.environ.items() if name == "PCS_CACHE_DIR" or not name.startswith("PCS_")}
    ports = {"PCS_LIVE_PORT": str(_free_port()), "PCS_SANDBOX_PORT": str(_free_port())}
    environ = {
        **ours,
        **ports,
        "PCS_DATA_DIR": str(folder / "data"),
        "PCS_WORKERS": "1",
        "PCS_WEBHOOK_ALLOW_HTTP": "true",
        "PCS_WEBHOOK_ALLOWED_PRIVATE_CIDRS": "127.0.0.0/8",
    }
    command = [sys.executable, "-m", "pcs.cli.main", "up"]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield _started(process, ports)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
    shutil.rmtree(folder)


def _started(process: subprocess.Popen[str], ports: dict[str, str]) -> Serving:
    assert process.stdout is not None
    welcome = ""
    for line in process.stdout:
        if found := re.search(r"http://\S+/welcome\?token=\S+", line):
            welcome = found[0]
        if line.startswith("Serving"):
            break
    live, sandbox = (f"http://127.0.0.1:{port}" for port in ports.values())
    return Serving(live, sandbox, welcome)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, without a window."""
    path = os.environ.get("PCS_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.fail("no Chromium: apt-get install chromium, or set PCS_CHROMIUM to one")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def signed_in(serving: Serving, chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The first administrator follows the printed link; the file with their cookies."""
    dashboard = Dashboard(chromium, None)
    page = dashboard.open()
    page.goto(serving.welcome)
    page.get_by_label("Organization").fill("Northwind Trading")
    page.get_by_label("E-mail address").fill(EMAIL)
    page.get_by_label("Your name").fill("Ada Moreau")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password again").fill(PASSWORD)
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("heading", name="Overview").wait_for()
    file = tmp_path_factory.mktemp("browser") / "state.json"
    page.context.storage_state(path=file)
    dashboard.close()
    assert dashboard.complaints == []
    return str(file)


@pytest.fixture
def dashboard(chromium: Browser, signed_in: str) -> Iterator[Dashboard]:
    """Windows in which the first administrator is signed in. No console may complain."""
    opened = Dashboard(chromium, signed_in)
    yield opened
    opened.close()
    assert opened.complaints == []


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    """A real endpoint on this machine."""
    box = Inbox()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            box.deliveries.append((self.headers["X-Service-Delivery-ID"], body))
            self.send_response(box.statuses.pop(0) if box.statuses else 200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"ok")

        def log_message(self, *_: object) -> None:
            """Nothing: the terminal is the tests'."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    box.url = f"http://127.0.0.1:{server.server_address[1]}/hook"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield box
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="session")
def axe() -> Complaints:
    """What axe-core finds serious or critical on a page, WCAG 2.2 AA."""
    if not AXE.exists():
        pytest.fail(f"no axe-core at {AXE}: `make browser` fetches it with npm, or set PCS_AXE to axe.min.js")
    source = AXE.read_text(encoding="utf-8")

    def run(page: Page) -> list[str]:
        page.evaluate(source)
        options = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
        found = page.evaluate("options => axe.run(document, options)", options)["violations"]
        return [
            f"{page.url}: {each['id']} ({each['impact']}): {each['nodes'][0]['html'][:160]}"
            for each in found
            if each["impact"] in {"serious", "critical"}
        ]

    return run
