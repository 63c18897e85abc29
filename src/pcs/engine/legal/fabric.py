"""Knitted or woven: what note 1 to chapter 61 and note 1 to chapter 62 turn on, and chapter 60 by its title. The trap: a
knitted cuff of a woven jacket; what only a part is made of says nothing of the goods."""

from __future__ import annotations

import re
from enum import Enum

from pcs.engine.reading.polarity import DENIED, signed_words
from pcs.engine.reading.slots import themselves
from pcs.engine.text import stem

_KNITTED, _WOVEN = frozenset(map(stem, ("knitted", "crocheted"))), frozenset({stem("woven")})
_EITHER_WAY = re.compile(r"\bwhether or not knitted\b", re.IGNORECASE)
_HOW = re.compile(r"\b(?:knit|crochet|woven)", re.IGNORECASE)
_OF_A_PART = re.compile(
    r"\b(?:knit(?:ted)?|crochet(?:ed)?|woven)[ -](?:rib(?:bed)? )?"
    r"(?:cuff|collar|hem|trim|lining|back|panel|insert|waistband|edg|wrist|label|patch|neck)\w*",
    re.IGNORECASE,
)


class Fabric(Enum):
    """How goods of fabric are made, as far as the tariff tells it apart."""

    KNITTED = "knitted or crocheted"
    NOT_KNITTED = "not knitted or crocheted"


def fabric_of(text: str) -> Fabric | None:
    """How goods are made by what was said of them; None where nothing was, or both.

    >>> fabric_of("women's dress, knitted"), fabric_of("woven jacket with knitted cuffs")
    (<Fabric.KNITTED: 'knitted or crocheted'>, <Fabric.NOT_KNITTED: 'not knitted or crocheted'>)
    """
    if not _HOW.search(text):
        return None
    said = frozenset(signed_words(_OF_A_PART.sub(" ", themselves(text))))
    knitted = not said.isdisjoint(_KNITTED)
    otherwise = not said.isdisjoint(_WOVEN) or not said.isdisjoint({DENIED + word for word in _KNITTED})
    if knitted == otherwise:
        return None
    return Fabric.KNITTED if knitted else Fabric.NOT_KNITTED


def fabric_asked(chapter: str, heading: str) -> Fabric | None:
    """How the goods of a heading must be made by its chapter's title; None where that says nothing, or the heading's own
    words say "whether or not knitted"."""
    return None if _EITHER_WAY.search(heading) else fabric_of(chapter)
