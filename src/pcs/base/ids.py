"""Identifiers: a prefix and the 26 Crockford base32 characters of a UUIDv7 (RFC 9562), so that they sort by time.

The trap: a malformed identifier must be told from a well-formed one before it reaches the database."""

from __future__ import annotations

import re
import secrets
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]
SHAPE = "[0-7][0-9a-hjkmnp-tv-z]{25}"
"""What follows the prefix, as a regular expression."""

PRODUCT = "product"
CLASSIFICATION = "clf"
BATCH = "batch"
DELIVERY = "dlv"
EVENT = "evt"
ENDPOINT = "hook"
REPLAY = "replay"
REQUEST = "req"
ORGANIZATION = "org"
KEY = "key"
MEMBER = "member"
COMPARISON = "cmp"


def new_id(kind: str) -> str:
    """A fresh identifier of one kind, such as `clf_01jx…`: later ones sort after earlier ones, to the millisecond."""
    return f"{kind}_{encode(uuid7(time.time_ns() // 1_000_000, secrets.randbits(74)))}"


def new_ids(kind: str, count: int) -> list[str]:
    """Several fresh identifiers that sort in the order given, so that what is accepted together keeps its order."""
    return sorted(new_id(kind) for _ in range(count))


def uuid7(milliseconds: int, randomness: int) -> int:
    """A UUIDv7 as a number: 48 bits of Unix milliseconds, version, 12 random bits, variant, 62 random bits."""
    high, low = randomness >> 62 & 0xFFF, randomness & (1 << 62) - 1
    return (milliseconds & (1 << 48) - 1) << 80 | 7 << 76 | high << 64 | 0b10 << 62 | low


def encode(number: int) -> str:
    """128 bits as 26 lower-case Crockford base32 characters.

    >>> encode(31)
    '0000000000000000000000000z'
    """
    return "".join([_PAIRS[number >> shift & 1023] for shift in range(120, -1, -10)])


def is_id(kind: str, text: str) -> bool:
    """Whether a text could be an identifier of this kind.

    >>> is_id("clf", "clf_01jx0000000000000000000000"), is_id("clf", "product_01jx0000000000000000000000")
    (True, False)
    """
    prefix, _, rest = text.partition("_")
    return prefix == kind and re.fullmatch(SHAPE, rest) is not None
