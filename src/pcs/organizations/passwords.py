"""Members' passwords. The trap: the library's default hash takes 174 ms; these parameters are OWASP's and take 35 ms.

Source: OWASP Password Storage Cheat Sheet, argon2id m=19 MiB, t=2, p=1."""

from __future__ import annotations

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


def hashed(password: str) -> str:
    """What to store of a password. Takes tens of milliseconds: call it off the event loop."""
    return _HASHER.hash(password)


def matches(stored: str, password: str) -> bool:
    """Whether a password is the one that `stored` was made of. Takes tens of milliseconds too."""
    try:
        return _HASHER.verify(stored, password)
    except (Argon2Error, InvalidHashError):
        return False
