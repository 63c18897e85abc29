"""What a journey is given: a service, windows of a browser, a webhook endpoint. The trap: a page that looks well and
complains in the console; what consoles say is kept, and the fixture asks."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

EMAIL, PASSWORD = "ada@example.com", "correct horse battery"
TIMEOUT = 60_000  # milliseconds for anything that has to appear

Complaints = Callable[[Page], list[str]]


@dataclass(frozen=True)
class Serving:
    """A running service: where it is, and the link that its first start printed."""

    live: str
    sandbox: str
    welcome: str

    @property
    def dashboard(self) -> str:
        return f"{self.live}/dashboard"


@dataclass
class Dashboard:
    """Opens browsers' windows, and remembers what their consoles complained about."""

    browser: Browser
    state: str | None
    complaints: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    def open(self, *, width: int = 1280, scheme: Any = "light", script: bool = True, fresh: bool = False) -> Page:
        context = self.browser.new_context(
            viewport={"width": width, "height": 860},
            color_scheme=scheme,
            java_script_enabled=script,
            storage_state=None if fresh else self.state,
            reduced_motion="reduce",
        )
        context.set_default_timeout(TIMEOUT)
        self.contexts.append(context)
        page = context.new_page()
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        return page

    def _listen(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(f"{message.text} at {message.location}")

    def close(self) -> None:
        for context in self.contexts:
            context.close()


@dataclass
class Inbox:
    """A webhook endpoint: answers with `statuses` one after the other, then with 200."""

    url: str = ""
    statuses: list[int] = field(default_factory=list)
    deliveries: list[tuple[str, dict[str, Any]]] = field(default_factory=list)


@contextlib.contextmanager
def no_reload(page: Page) -> Iterator[None]:
    """Inside, the page may change but not be loaded anew."""
    page.evaluate("window.sameDocument = true")
    yield
    assert page.evaluate("window.sameDocument === true"), "the page was loaded anew"
