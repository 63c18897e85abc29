"""What is wrong with a field, in our own words. The trap: a library's words, which change with its version and speak of
its types (a text of "501 items", a "dictionary")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pcs.base.errors import Violation

_OBJECT = "must be an object"
_WHOLE = "must be a whole number"
_DATE, _TIME = "must be a date such as 2026-11-22", "must be a time with its zone, such as 2026-11-22T08:00:00Z"
_LOWEST, _HIGHEST = "must have at least {min_length} {things}", "must have at most {max_length} {things}"
_TOLD = {
    "missing": "is required",
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "list_type": "must be an array",
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_from_float": _WHOLE,
    "int_parsing_size": _WHOLE,
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "date_parsing": _DATE,
    "date_from_datetime_parsing": _DATE,
    "date_from_datetime_inexact": _DATE,
    "datetime_parsing": _TIME,
    "datetime_from_date_parsing": _TIME,
    "timezone_aware": _TIME,
    "model_type": _OBJECT,
    "dict_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "too_short": _LOWEST,
    "too_long": _HIGHEST,
    "string_too_short": _LOWEST,
    "string_too_long": _HIGHEST,
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
}


def violation(found: Mapping[str, Any]) -> Violation:
    """What Pydantic found, as a customer reads it."""
    return Violation(_path(found["loc"]), told(found))


def told(found: Mapping[str, Any]) -> str:
    """What is wrong, without the field."""
    if found["type"] not in _TOLD:
        message = str(found["msg"]).removeprefix("Value error, ")
        return message[:1].lower() + message[1:]
    limits = dict(found.get("ctx", {}))
    things = "characters" if isinstance(found["input"], str) else "items"
    return (
        "must not be empty" if limits.get("min_length") == 1 else _TOLD[found["type"]].format(**limits, things=things)
    )


def _path(location: Sequence[str | int]) -> str:
    """A location as the interface writes it: `products[3].name`; the body itself is `body`."""
    written = ""
    for step in location[1:]:
        written += f"[{step}]" if isinstance(step, int) else f".{step}"
    return written.removeprefix(".") or "body"
