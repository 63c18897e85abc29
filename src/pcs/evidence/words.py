"""How values of a record are written for people. The trap: a character that a typesetter or a Word document refuses;
it is a sign in its place here, and whole in the record."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from typing import Any

from pcs.tariff.code import Code

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]")


def plain(text: str) -> str:
    """Text on one line, with a sign in the place of each character that nobody can print."""
    return " ".join(_CONTROLS.sub("\ufffd", str(text)).split())


def paragraphs_of(text: str) -> list[str]:
    """The paragraphs of a text, each on one line."""
    return [told for each in text.split("\n") if (told := plain(each))]


def dotted(code: str | None) -> str:
    """A code as people write it; empty for none."""
    return Code(code).dotted if code else ""


def answered_code(result: Mapping[str, Any]) -> str:
    """The code of a result on the wire, under whatever name its schedule gives it."""
    return str(next(value for name, value in result.items() if name in {"hts_code", "cn_code", "code"}))


def moment(written: str) -> str:
    """A time as people read it, in UTC.

    >>> moment("2026-11-23T05:04:09.120Z")
    '23 Nov 2026, 05:04:09 UTC'
    """
    return f"{dt.datetime.fromisoformat(written):%d %b %Y, %H:%M:%S} UTC"
