"""What a description is made of: attributes ("Material: steel") and sentences. The trap: an order that is the shop's
and says nothing; attributes are read in an order of their own, what tells most of the goods first."""

from __future__ import annotations

import re
from functools import lru_cache

_AT_ONCE = 64
_BETWEEN = re.compile(r"[;|\n]|\.(?=\s|$)")
_ATTRIBUTE = re.compile(r"\s{0,9}([^:]{1,40}?)\s{0,3}:\s{1,9}\S")
_NO_VALUE = frozenset("none no yes other others".split())
_WORD = re.compile(r"[a-z]+")
# Words of a key, and how much its value tells of what goods are; a key of none of them stands between.
_TELLS_MOST = frozenset("category product item type kind name function use usage purpose".split())
_TELLS_MUCH = frozenset("material materials fabric upper outer shell sole lining metal composition".split())
_TELLS_LEAST = frozenset(
    "origin price brand model number color colour style season pattern certification occasion theme feature features "
    "size package quantity weight shipping warranty seller sku".split()
)
_ORDERLESS = 400  # characters: of a longer description what is said first counts most


@lru_cache(maxsize=_AT_ONCE)
def in_order(description: str) -> str:
    """The description with its attributes in an order that is not the seller's; sentences stand before them, those of a
    short description in an order of their own too.

    >>> in_order("Colour: red; Material: steel. A knife") == in_order("A knife. Material: steel; Colour: red")
    True
    """
    segments = [segment.strip() for segment in _BETWEEN.split(description) if segment.strip()]
    attributes = sorted((_rank(segment), segment) for segment in segments if _ATTRIBUTE.match(segment))
    sentences = [segment for segment in segments if not _ATTRIBUTE.match(segment)]
    if len(description) <= _ORDERLESS:
        sentences.sort()
    return ". ".join([*sentences, *(segment for _, segment in attributes)])


def attributes_in(description: str) -> tuple[tuple[str, str], ...]:
    """The attributes that a description lists, in its order, without those whose value names nothing.

    >>> attributes_in("Upper Material: PU; Heel: None. For women")
    (('Upper Material', 'PU'),)
    """
    listed = (segment.partition(":") for segment in _BETWEEN.split(description) if _ATTRIBUTE.match(segment))
    pairs = ((name.strip(), value.strip()) for name, _, value in listed)
    return tuple((name, value) for name, value in pairs if value.lower() not in _NO_VALUE)


def _rank(segment: str) -> int:
    match = _ATTRIBUTE.match(segment)
    key = set(_WORD.findall(match[1].lower())) if match else set[str]()
    if key & _TELLS_MOST:
        return 0
    if key & _TELLS_MUCH:
        return 1
    return 3 if key & _TELLS_LEAST else 2
