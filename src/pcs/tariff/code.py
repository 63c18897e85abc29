"""Tariff codes. The trap: 6109 and 6109000000 say different things, so a code is never padded nor cut silently."""

from __future__ import annotations

import re
from typing import Self

from pcs.base.same import Same

_LENGTHS = frozenset(range(2, 11, 2))
_PUNCTUATION = re.compile(r"[.\s]")
_SHARED = Same()


class InvalidCodeError(ValueError):
    """A text that is not a tariff code; the message says what one looks like."""


class Code(str):
    """A tariff code of 2, 4, 6, 8 or 10 digits.

    >>> Code.parse("6109.10.00.12").ancestors
    ('61', '6109', '610910', '61091000')
    """

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a code written with or without dots and spaces.

        Raises InvalidCodeError unless 2, 4, 6, 8 or 10 digits remain.
        """
        digits = text if text.isdecimal() else _PUNCTUATION.sub("", text)
        if len(digits) not in _LENGTHS or not (digits.isascii() and digits.isdecimal()):
            msg = f"{text!r} is not a tariff code: give 2, 4, 6, 8 or 10 digits, dots allowed, such as 6109.10"
            raise InvalidCodeError(msg)
        return cls(digits)

    @classmethod
    def shared(cls, digits: str) -> Code:
        """The one object of this process for a code of published or shipped data, where it stands a dozen times; never
        for what comes from outside, since it is kept for good."""
        code: Code = _SHARED[cls(digits)]
        return code

    @property
    def chapter(self) -> Code:
        """The first two digits."""
        return Code(self[:2])

    @property
    def heading(self) -> Code:
        """The first four digits (all of a shorter code)."""
        return Code(self[:4])

    @property
    def subheading(self) -> Code:
        """The first six digits (all of a shorter code)."""
        return Code(self[:6])

    @property
    def ancestors(self) -> tuple[Code, ...]:
        """Every shorter prefix of even length, shortest first; a schedule need not have a row for each."""
        return tuple(Code(self[:digits]) for digits in range(2, len(self), 2))

    def covers(self, other: str) -> bool:
        """Whether `other` is this code or lies below it.

        >>> Code("6109").covers("61091000"), Code("61091000").covers("6109")
        (True, False)
        """
        return other.startswith(self)

    @property
    def dotted(self) -> str:
        """The usual way of writing it: 4, then pairs.

        >>> Code("6109100012").dotted
        '6109.10.00.12'
        """
        rest = [self[place : place + 2] for place in range(4, len(self), 2)]
        return ".".join([str(self[:4]), *rest])
