"""Short forms of the trade and what they mean: `stainless steel = ss304 sus304`. The trap: a form that means two
things; only those that mean one stand in the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources

from pcs.tariff.starter.pack import PackError

FILE = "short_forms.txt"


def read_short_forms(lines: Iterable[str], *, name: str) -> dict[str, str]:
    """What each form means; `name` is what errors call the file. Raises PackError."""
    found: dict[str, str] = {}
    for number, raw in enumerate(lines, start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        meaning, equals, forms = (part.strip() for part in line.partition("="))
        twice = [form for form in forms.split() if form in found]
        if not equals or not meaning or not forms or twice:
            wrong = f"{twice[0]!r} stands twice" if twice else "a line reads `what it means = form form`"
            msg = f"{name}, line {number}: {wrong}: {line[:80]!r}"
            raise PackError(msg)
        found.update(dict.fromkeys(forms.split(), meaning))
    return found


@cache
def short_forms() -> Mapping[str, str]:
    """What ships with the package, read once a process. Raises PackError."""
    file = resources.files(__package__) / FILE
    return read_short_forms(file.read_text(encoding="utf-8").splitlines(), name=file.name)
