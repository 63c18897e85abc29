"""Languages by their ISO 639-1 codes, with the names that CLDR (Unicode) gives them by way of Babel."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from babel.core import Locale

_TWO_LETTERS = 2


@cache
def language_names() -> dict[str, str]:
    """The English name of each language that has a code of two letters.

    >>> language_names()["pl"]
    'Polish'
    """
    return {code: name for code, name in Locale("en").languages.items() if len(code) == _TWO_LETTERS}


def told(codes: Iterable[str]) -> str:
    """Languages as a sentence names them.

    >>> told(("en", "de", "pl"))
    'English, German and Polish'
    """
    *others, last = (language_names()[code] for code in codes)
    return f"{', '.join(others)} and {last}" if others else last


def preferred(header: str) -> tuple[str, ...]:
    """The languages of an `Accept-Language` header, the one wanted most first. Source: RFC 9110, 12.5.4.

    >>> preferred("en-GB;q=0.7, de-AT, de;q=0.9, *;q=0.1, fr;q=0")
    ('de', 'en')
    """
    weighed = []
    for part in header.split(","):
        name, _, weight = part.partition(";")
        code = name.strip().lower().partition("-")[0]
        wanted = _weight(weight)
        if wanted > 0 and code in language_names():
            weighed.append((wanted, code))
    return tuple(dict.fromkeys(code for _, code in sorted(weighed, key=lambda pair: -pair[0])))


def _weight(parameter: str) -> float:
    """The quality value of a language; 1 where there is none that can be read."""
    try:
        return float(parameter.strip().removeprefix("q="))
    except ValueError:
        return 1.0
