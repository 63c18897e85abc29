"""Attributes of goods as people give them: a JSON object, or lines of `name: value`. The trap: the same name twice, of
which one would be lost without a word."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from pcs.base.text import normalized, shortened, storable

MOST, LONGEST_NAME, LONGEST_VALUE = 50, 64, 500
PREFIX = "attribute:"
"""Before the name of an attribute in the title of a column."""


def attributes_in(text: str) -> dict[str, str]:
    """The attributes of a text: a JSON object of texts and numbers, or `name: value`, one a line. Raises ValueError, in
    words for a customer.

    >>> attributes_in("material: leather"), attributes_in('{"width cm": 30}')
    ({'material': 'leather'}, {'width cm': '30'})
    """
    return checked(_of_json(text) if text.lstrip().startswith("{") else _of_lines(text))


def checked(given: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Attributes as they are kept, those without a value left out. Raises ValueError, in words for a customer."""
    tidy = [(_tidy(name), _tidy(value)) for name, value in given]
    kept = dict[str, str]()
    for name, value in tidy:
        _check(name, value, kept)
        if value:
            kept[name] = value
    if len(kept) > MOST:
        msg = f"must be at most {MOST}"
        raise ValueError(msg)
    return kept


def as_lines(attributes: Mapping[str, str]) -> str:
    """Attributes as a form shows them."""
    return "\n".join(f"{name}: {value}" for name, value in attributes.items())


def _check(name: str, value: str, kept: Mapping[str, str]) -> None:
    told = shortened(name, 40)
    if not name:
        msg = "must each have a name"
    elif len(name) > LONGEST_NAME:
        msg = f"have the name “{told}”: a name must have at most {LONGEST_NAME} characters"
    elif len(value) > LONGEST_VALUE:
        msg = f"have “{told}” with a value of more than {LONGEST_VALUE} characters"
    elif name in kept:
        msg = f"name “{told}” twice"
    else:
        return
    raise ValueError(msg)


def _of_lines(text: str) -> Iterable[tuple[str, str]]:
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if line.strip() and not colon:
            msg = f"must be written one a line as name: value; “{shortened(line.strip(), 40)}” is not"
            raise ValueError(msg)
        if line.strip():
            yield name, value


def _of_json(text: str) -> Iterable[tuple[str, str]]:
    wrong = "must be a JSON object of texts, such as {“material”: “leather”}"
    try:
        pairs = json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError) as error:
        raise ValueError(wrong) from error
    for name, value in pairs:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ValueError(wrong)  # noqa: TRY004 (it is the customer's text that is wrong)
        yield name, str(value)


def _tidy(text: str) -> str:
    return " ".join(normalized(storable(text, "\ufffd")).split())
