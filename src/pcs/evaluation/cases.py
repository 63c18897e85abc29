"""Labelled cases, one JSON object a line. The trap: a case that is silently dropped flatters the result, so each bad
line is an error with its number."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass
from pathlib import Path

from pcs.engine.product import Product
from pcs.tariff.code import Code, InvalidCodeError
from pcs.tariff.revision import ScheduleName

_NO_OBJECT = (json.JSONDecodeError, UnicodeDecodeError, TypeError)


class CaseError(ValueError):
    """A line that is not a labelled case; the message names file, line and fault."""


@dataclass(frozen=True, slots=True)
class Case:
    """One product and its right code in one schedule; `date` is the day of the ruling that a case is made of."""

    id: str
    schedule: ScheduleName
    product: Product
    code: Code
    date: dt.date | None = None


def read_cases(path: Path) -> list[Case]:
    """Every case of a JSON Lines file (id, schedule, name, description?, code, ruling_date?). Raises CaseError."""
    cases = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if line.strip():
            try:
                cases.append(_case(json.loads(line)))
            except (ValueError, KeyError, TypeError, InvalidCodeError) as error:
                wrong = _wrong(error)
                msg = f"{path.name}, line {number}: not a labelled case ({wrong}); each needs id, schedule, name, code"
                raise CaseError(msg) from error
    if not cases:
        msg = f"{path.name} has no labelled cases: give JSON Lines, each with id, schedule, name, code"
        raise CaseError(msg)
    return cases


def _wrong(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"it has no {error.args[0]}"
    return "it is not an object of JSON" if isinstance(error, _NO_OBJECT) else str(error)


def _case(fields: dict[str, str]) -> Case:
    product = Product(fields["name"], fields.get("description") or "", fields.get("country_of_origin") or None)
    date = dt.date.fromisoformat(fields["ruling_date"]) if fields.get("ruling_date") else None
    return Case(str(fields["id"]), ScheduleName(fields["schedule"]), product, Code.parse(fields["code"]), date)
