"""The language of a product's words: ISO 639-1 codes, and the names that people write, which are CLDR's (Unicode) by
way of Babel. The trap: a language that is not read is no mistake of the sender; it is taken, and the answer says so."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from babel.core import Locale

from pcs.base.languages import language_names
from pcs.tariff.starter.lexicon.rows import READ


def language(text: str) -> str:
    """The code of a language given by its code or its name. Raises ValueError, in words for a customer.

    >>> language("DE"), language("Deutsch"), language("Polish"), language("de-AT")
    ('de', 'de', 'pl', 'de')
    """
    wanted = text.strip().casefold()
    code = wanted.replace("_", "-").partition("-")[0]
    found = code if code in language_names() else _names().get(wanted)
    if found is None:
        msg = "is not a language that we know: give its two-letter code of ISO 639-1, such as de for German"
        raise ValueError(msg)
    return found


@cache
def _names() -> Mapping[str, str]:
    """The code of each language by its name in English, in the languages that are read and in its own."""
    known = language_names()
    names = dict[str, str]()
    for spoken in READ:
        languages = Locale.parse(spoken).languages
        names |= {str(name).casefold(): code for code, name in languages.items() if code in known}
    return names
