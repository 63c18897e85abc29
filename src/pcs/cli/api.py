"""The API of a service as commands use it: an address, a key, and refusals in the service's own words.

The trap: a key on the command line, where every user of the machine reads it; it comes from the environment."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Annotated, Any

import httpx2
import typer

from pcs.base.errors import OperatorError
from pcs.base.settings import Settings
from pcs.wire.base import API_PREFIX

_SANDBOX = "svc_test_"
_QUIET = 60.0  # seconds: a stream says something every fifteen

Server = Annotated[
    str | None, typer.Option("--server", envvar="PCS", help="The service's address; one on this machine otherwise.")
]


def key_of_environment(*, sandbox_only: bool = False) -> str:
    """The key in PCS_KEY. Raises OperatorError where there is none, or a live one where that would cost credits."""
    key = os.environ.get("PCS_KEY", "")
    if not key or (sandbox_only and not key.startswith(_SANDBOX)):
        kind = "a sandbox key (svc_test_…)" if sandbox_only else "an API key"
        msg = f"Set PCS_KEY to {kind}: the dashboard makes one under Settings, API."
        raise OperatorError(msg)
    return key


@contextlib.contextmanager
def api(server: str | None, key: str) -> Iterator[httpx2.Client]:
    """A client of the API with this key; without a server, of the one on this machine that takes such keys."""
    settings = Settings.from_environment(os.environ)
    port = settings.sandbox_port if key.startswith(_SANDBOX) else settings.live_port
    address = (server or f"http://localhost:{port}").rstrip("/") + API_PREFIX
    headers = {"Authorization": f"Bearer {key}"}
    with httpx2.Client(base_url=address, headers=headers, timeout=httpx2.Timeout(10, read=_QUIET)) as client:
        yield client


def accepted(response: httpx2.Response) -> httpx2.Response:
    """The answer itself. Raises OperatorError with what the service says where it refuses."""
    if response.is_success:
        return response
    response.read()
    raise OperatorError(_told(response))


def _told(response: httpx2.Response) -> str:
    try:
        error: dict[str, Any] = response.json()["error"]
        details = "; ".join(f"{one['field']} {one['message']}" for one in error["details"])
        return details or str(error["message"])
    except (ValueError, LookupError, TypeError):
        return f"{response.url} answered {response.status_code}: is this the address of the service?"
