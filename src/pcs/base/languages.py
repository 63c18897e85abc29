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
