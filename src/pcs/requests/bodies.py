"""Bodies as they are kept: without secrets, and of a limited size. The trap: a large body that waits to be stored; it
is shortened at once, in a time that does not grow with it."""

from __future__ import annotations

import itertools
import json
from typing import Any

from pcs.base.redaction import cleaned
from pcs.base.text import shortened, storable

_CHARACTERS = 4_096  # of a body in all
_LONGEST = 500  # characters of one text
_ENTRIES = 50  # of one list or object
_NAME = 100
_COST = 8  # of a value's own brackets, commas and quotes
_REST = "…"


def kept_value(value: object) -> object:
    """A parsed body without secrets, at most some four thousand characters of it; what was left out shows as `…`.

    >>> kept_value({"url": "https://a.example", "secret": "hush", "many": [1] * 52})["secret"]
    '[redacted]'
    """
    return cleaned("", _Shortening().of(value))


def kept_text(value: object) -> str | None:
    """The same as JSON; None for what is None."""
    return None if value is None else storable(json.dumps(kept_value(value), ensure_ascii=False))


def kept_answer(body: bytes) -> str | None:
    """An answer's body; None where it is not JSON."""
    try:
        return kept_text(json.loads(body))
    except ValueError:
        return None


class _Shortening:
    """Takes from a value until there is enough."""

    def __init__(self) -> None:
        self._left = _CHARACTERS

    def of(self, value: object) -> Any:  # noqa: ANN401 (any JSON)
        self._left -= _COST
        if self._left < 0:
            return _REST
        if isinstance(value, dict):
            return self._of_object(value)
        if isinstance(value, list):
            return self._of_list(value)
        return self._of_text(value, _LONGEST) if isinstance(value, str) else value

    def _of_object(self, value: dict[str, Any]) -> dict[str, Any]:
        short: dict[str, Any] = {}
        for name, inner in value.items():
            if self._left < 0 or len(short) == _ENTRIES:
                return {**short, _REST: f"and {len(value) - len(short):,} more"}
            short[self._of_text(name, _NAME)] = self.of(inner)
        return short

    def _of_list(self, value: list[Any]) -> list[Any]:
        short: list[Any] = []
        for inner in itertools.islice(value, _ENTRIES):
            if self._left < 0:
                break
            short.append(self.of(inner))
        return short if len(short) == len(value) else [*short, f"{_REST} and {len(value) - len(short):,} more"]

    def _of_text(self, value: str, most: int) -> str:
        short = shortened(value, most)
        self._left -= len(short)
        return short
