"""Results and steps as documents: written once, when an analysis ends, and read back into their types ever after.

The trap: a document that an earlier version of the service stored; each carries its version, and one that is older is
brought up to date on the way in, one step a version."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from cattrs import Converter

from pcs.engine.determination import Step
from pcs.engine.filed.comparison import Comparison
from pcs.engine.result import Result
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

VERSION = 1

_converter = Converter(detailed_validation=False)
_converter.register_structure_hook(Code, lambda digits, _: Code(digits))
_converter.register_structure_hook(dt.date, lambda day, _: dt.date.fromisoformat(day))
_converter.register_unstructure_hook(dt.date, dt.date.isoformat)


def document_of(result: Result) -> dict[str, Any]:
    """A result as it is stored."""
    return {"version": VERSION, **plain(result)}


def result_from(document: Mapping[str, Any]) -> Result:
    """The result of a stored document, of whatever version."""
    version = document.get("version", 0)
    return _converter.structure(_from_the_first(document) if version == 0 else document, Result)


def plain(result: Result) -> dict[str, Any]:
    """A result as plain JSON values, by the names of its fields."""
    values: dict[str, Any] = _converter.unstructure(result)
    return values


def steps_document(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """How an analysis went, as it is stored."""
    return [_converter.unstructure(step) for step in steps]


def steps_from(document: Sequence[Mapping[str, Any]]) -> tuple[Step, ...]:
    """The steps of a stored document."""
    return tuple(_converter.structure(step, Step) for step in document)


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """How a filed code stands beside the one found, as it is stored; with what lists are ordered and added up by."""
    counted = {"risk": comparison.risk, "priority": comparison.priority}
    return {**_converter.unstructure(comparison), **counted}


def comparison_from(document: Mapping[str, Any]) -> Comparison:
    """The comparison of a stored document."""
    return _converter.structure(document, Comparison)


def _from_the_first(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document without a version: it had the wire's names of one schedule, and null for rates that are not there."""
    wires = [name.profile.wire for name in ScheduleName]
    rulings = [{"reference": ruling["id"], "relevance": None, **ruling} for ruling in document.get("rulings", ())]
    return {
        "schedule_revision": "",
        **document,
        "code": next((document[wire.code] for wire in wires if wire.code in document), None),
        "description": next((document[wire.description] for wire in wires if wire.description in document), None),
        "rulings": rulings,
        "duty": {name: rate or "" for name, rate in (document.get("duty") or {}).items()},
    }
