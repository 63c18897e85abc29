"""The first call in four languages, filled in with a key that was just made; docs/quick-starts.md shows the same.

The trap: a sandbox key beside the live address, and an address that a request gives of itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

from pcs.base.settings import Settings
from pcs.base.tenancy import Environment

ADDRESS, KEY = "http://localhost:8000", "YOUR_KEY"
"""What stands in the texts where an address and a key belong."""

_SANDBOX = "https://YOUR_SANDBOX"
_LANGUAGES = (
    ("curl", "curl", "In a terminal."),
    ("python", "Python", "First, in a clone: pip install ./clients/python"),
    ("typescript", "TypeScript", "First, in a clone: make typescript, then npm install the file that it names."),
    (
        "excel",
        "Excel",
        "A table named Products with the columns SKU and Name; Data, Get Data, Blank Query, Advanced Editor.",
    ),
)


@dataclass(frozen=True, slots=True)
class QuickStart:
    """One language's first call; `first` is what to do before it."""

    name: str
    title: str
    first: str
    text: str


@cache
def quick_starts() -> tuple[QuickStart, ...]:
    """All of them as they are written, with `ADDRESS` and `KEY` in them."""
    folder = resources.files("pcs.dashboard") / "templates" / "quick_starts"
    return tuple(
        QuickStart(name, title, first, (folder / f"{name}.txt").read_text(encoding="utf-8"))
        for name, title, first in _LANGUAGES
    )


def filled_in(token: str, settings: Settings) -> tuple[QuickStart, ...]:
    """All of them with this key and the address of the API that takes it."""
    address = _address(token, settings)
    return tuple(
        QuickStart(one.name, one.title, one.first, one.text.replace(ADDRESS, address).replace(KEY, token))
        for one in quick_starts()
    )


def _address(token: str, settings: Settings) -> str:
    if token.startswith(f"svc_{Environment.TEST}_"):
        return settings.sandbox_url or _SANDBOX
    return settings.dashboard_url.removesuffix("/dashboard")
