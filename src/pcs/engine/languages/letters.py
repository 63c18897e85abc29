"""A text of any language as tokens, and its letters without accents. The trap: accents are part of a word ("poêle",
"Küche"); they are taken off only where no word is known with them."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from pcs.base.text import normalized

_REMEMBERED = 1 << 12
_NO_ACCENT = str.maketrans({"ß": "ss", "œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d"})
_TOKEN = re.compile(
    r"\d{1,3}(?:[.  \u202f]\d{3}){1,4}(?![\d,.])(?:,\d{1,9})?|\d{1,20}(?:[.,]\d{1,9}){0,4}[^\W\d_]{0,3}[23²³]?"
    r"|[^\W\d_]{1,60}(?:-[^\W\d_]{1,60}){0,6}-?|\s+|."
)
# A short word that has lost its vowel: "l'huile", "dell'acqua"; it is a word of its own.
_ELISION = re.compile(
    r"\b([ldnsjtcm]|qu|un|(?:d|n|s|qu)?ell|all|dall|sull|bell|quest|jusqu|lorsqu)['\u2019](?=\w)", re.IGNORECASE
)
_THOUSANDS = re.compile(r"(?<=\d)[.  \u202f](?=\d{3}(?!\d))")
_COMMA = re.compile(r"(?<=\d),(?=\d)")


def tokens(text: str) -> list[str]:
    """Words (joined by hyphens too), numbers, spaces and signs, in order; together they are the text, elisions apart.

    >>> tokens("Sac à l'avant, 3.500 g")
    ['Sac', ' ', 'à', ' ', 'l', ' ', 'avant', ',', ' ', '3.500', ' ', 'g']
    """
    return _TOKEN.findall(_ELISION.sub(r"\1 ", text))


@lru_cache(maxsize=_REMEMBERED)
def folded(word: str) -> str:
    """Lower case without accents.

    >>> folded("Küche"), folded("ŁÓŻKO"), folded("cœur")
    ('kuche', 'lozko', 'coeur')
    """
    lower = word.lower()
    if lower.isascii():
        return lower
    decomposed = normalized(lower.translate(_NO_ACCENT), "NFKD")
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def english_number(token: str) -> str:
    """A number of the continent as English writes it.

    >>> english_number("3.498"), english_number("3 498,5"), english_number("3,5mm"), english_number("1.5")
    ('3498', '3498.5', '3.5mm', '1.5')
    """
    return _COMMA.sub(".", _THOUSANDS.sub("", token))
