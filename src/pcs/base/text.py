"""Text from outside, made fit to be stored and compared. The traps: NUL and lone surrogates, which PostgreSQL cannot
store; and Unicode's normal forms, which take quadratic time over marks heaped on one letter."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal

_MOST_MARKS = 30  # on one letter: more than any language has (UAX #15, Stream-Safe Text Format)
_JOINER = "\u034f"  # COMBINING GRAPHEME JOINER: no mark is sorted past it
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_MAY_BE_MARKS = re.compile(rf"[\u0300-\U0010ffff]{{{_MOST_MARKS + 1},}}")


def is_storable(text: str) -> bool:
    """Whether a text has neither NUL nor lone surrogates."""
    return _UNSTORABLE.search(text) is None


def storable(text: str, instead: str = "") -> str:
    r"""The text without NUL and lone surrogates, or with something in their place.

    >>> storable("a\x00b\ud800"), storable("a\x00", "?")
    ('ab', 'a?')
    """
    return _UNSTORABLE.sub(instead, text)


def normalized(text: str, form: Literal["NFC", "NFKD"] = "NFC") -> str:
    """A Unicode normal form, in linear time. Source: UAX #15, D4: after 30 marks on one letter comes a joiner.

    >>> normalized("e\u0301") == "\u00e9", len(normalized("a" + "\u0301" * 62)) - len(normalized("a" + "\u0301" * 60))
    (True, 3)
    """
    if text.isascii():
        return text
    return unicodedata.normalize(form, _MAY_BE_MARKS.sub(lambda found: _joined(found[0]), text))


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters; what is cut off shows as an ellipsis.

    >>> shortened("mug", 3), shortened("mugs", 3)
    ('mug', 'mu…')
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def listed(items: Sequence[str], most: int) -> str:
    """The first items, and how many more there are.

    >>> listed(["a", "b"], 2), listed(["a", "b", "c"], 1)
    ('a, b', 'a and 2 more')
    """
    rest = len(items) - most
    return ", ".join(items[:most]) + (f" and {rest:,} more" if rest > 0 else "")


def _joined(text: str) -> str:
    pieces: list[str] = []
    marks = 0
    for letter in text:
        marks = marks + 1 if unicodedata.combining(letter) else 0
        if marks > _MOST_MARKS:
            pieces.append(_JOINER)
            marks = 1
        pieces.append(letter)
    return "".join(pieces)
