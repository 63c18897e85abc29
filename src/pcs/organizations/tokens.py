"""What an API key looks like: `svc_live_` or `svc_test_`, 32 random base62 characters, 6 of CRC32 over all before them.

The trap: a typing error must not cost a database call, and must not be mistaken for an unknown key of an attacker."""

from __future__ import annotations

import re
import secrets
import string
import zlib

from pcs.base.tenancy import Environment

_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
_SHAPE = re.compile(r"(svc_(live|test)_[0-9A-Za-z]{32})([0-9A-Za-z]{6})")


def new_token(environment: Environment) -> str:
    """A fresh key of one environment (190 bits of randomness)."""
    body = f"svc_{environment}_" + "".join(secrets.choice(_ALPHABET) for _ in range(32))
    return body + checksum(body)


def environment_of(token: str) -> Environment | None:
    """Where a key works; None where shape or checksum are wrong."""
    match = _SHAPE.fullmatch(token)
    if match is None or checksum(match[1]) != match[3]:
        return None
    return Environment(match[2])


def checksum(body: str) -> str:
    """CRC32 as six base62 digits, most significant first.

    >>> checksum("svc_live_")
    '38Vl1n'
    """
    number, digits = zlib.crc32(body.encode()), ""
    for _ in range(6):
        number, rest = divmod(number, 62)
        digits = _ALPHABET[rest] + digits
    return digits
