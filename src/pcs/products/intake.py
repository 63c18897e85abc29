"""Products as people type them, in a form or a table. The trap: a form that takes what the API refuses; the limits are
the interface's own, and every field that is wrong is named at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pcs.base.clock import day
from pcs.base.countries import country
from pcs.base.errors import InvalidRequestError, Violation
from pcs.base.text import normalized, storable
from pcs.engine.filed.comparison import filed_code
from pcs.products.attributes import PREFIX, as_lines, attributes_in, checked
from pcs.products.languages import language
from pcs.products.model import ProductFields
from pcs.tariff.revision import ScheduleName

LONGEST = {"name": 500, "description": 10_000, "identifier": 255}
DECLARED = {f"declared_codes.{schedule}": schedule for schedule in ScheduleName}
"""The fields of a form or table that hold the codes of `declared_codes`, and the schedule of each."""
FIELDS = ("name", "description", "identifier", "country_of_origin", "language", "entry_date", "attributes", *DECLARED)
_READERS: Mapping[str, Callable[[str], Any]] = {"country_of_origin": country, "language": language, "entry_date": day}
_CHECKS = {**_READERS, **dict.fromkeys(DECLARED, filed_code)}


def read_product(typed: Mapping[str, str]) -> ProductFields:
    """The product that somebody typed. Raises InvalidRequestError with every violation."""
    texts = {name: tidy_text(typed.get(name, "")) for name in FIELDS}
    violations = [violation for name in FIELDS if (violation := _violation(name, texts[name]))]
    attributes = dict[str, str]()
    try:
        attributes = _attributes(typed)
    except ValueError as error:
        violations.append(Violation("attributes", str(error)))
    if violations:
        raise InvalidRequestError(*violations)
    return ProductFields(
        name=texts["name"],
        description=texts["description"] or None,
        identifier=texts["identifier"] or None,
        declared_codes={schedule: filed_code(texts[name]) for name, schedule in DECLARED.items() if texts[name]},
        attributes=attributes,
        **{name: read(texts[name]) for name, read in _READERS.items() if texts[name]},
    )


def typed_of(fields: ProductFields) -> dict[str, str]:
    """A product as a form shows it, so that it can be typed again."""
    declared = {name: str(fields.declared_codes.get(schedule, "")) for name, schedule in DECLARED.items()}
    plain = {name: str(getattr(fields, name) or "") for name in FIELDS if name not in declared and name != "attributes"}
    return {**plain, **declared, "attributes": as_lines(fields.attributes)}


def _attributes(typed: Mapping[str, str]) -> dict[str, str]:
    """Those of the field and those that have a column of their own."""
    own = [(name.removeprefix(PREFIX), text) for name, text in typed.items() if name.startswith(PREFIX)]
    return checked([*attributes_in(typed.get("attributes", "")).items(), *own])


def tidy_text(text: str) -> str:
    """Text in Normalization Form C without white space around it; what no text may hold becomes U+FFFD."""
    return normalized(storable(text, "\ufffd")).strip()


def _violation(name: str, text: str) -> Violation | None:
    if name == "name" and not text:
        return Violation(name, "is needed")
    if name in LONGEST and len(text) > LONGEST[name]:
        return Violation(name, f"must have at most {LONGEST[name]:,} characters")
    if name in _CHECKS and text:
        try:
            _CHECKS[name](text)
        except ValueError as error:
            return Violation(name, str(error))
    return None
