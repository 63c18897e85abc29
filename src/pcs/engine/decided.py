"""What an organization has decided, as the engine is told of it, and what goods are looked up by.

The trap: a look-up that brings the engine's arrays into a process that only stores decisions; none is needed here."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import Self

from pcs.engine.text import is_telling, raw_words, stem
from pcs.tariff.code import Code
from pcs.tariff.schedule import Schedule

MOST_KEYS = 24
"""What one product is looked up by, at most."""
NEWEST_OF_A_KEY = 50
"""Decisions looked at of each key: a word that half of a catalogue has finds its newest, and the work stays bounded."""
MOST_LOOKED_AT = 60
"""Decisions compared with one product: those that the rarest keys lead to."""
_PREFIX = 4  # letters: shop systems cut words, and leave their beginnings


class Standing(StrEnum):
    """Whether a decision's line is still in the revision, and says what it said."""

    IN_FORCE = "in_force"
    GONE = "gone"
    REWORDED = "reworded"


class Sameness(IntEnum):
    """Whether a decision is on these very goods: on others, on the same text, on that under the same identifier too."""

    OTHER = 0
    TEXT = 1
    GOODS = 2


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision as the engine sees it: what cites it, its goods' name, its code and when it was made.

    `words` are the line's when it was decided, None where nobody kept them. `by_model` says that a language model
    decided, and no person.
    """

    reference: str
    name: str
    code: Code
    words: str | None = None
    decided_at: dt.date | None = None
    sameness: Sameness = Sameness.OTHER
    standing: Standing = Standing.IN_FORCE
    by_model: bool = False

    def under(self, schedule: Schedule) -> Self:
        """The same with its standing under this revision."""
        line = schedule.get(self.code)
        if line is None or not line.declarable:
            return replace(self, standing=Standing.GONE)
        reworded = self.words is not None and self.words != schedule.description(line)
        return replace(self, standing=Standing.REWORDED) if reworded else self


def under(decided: Sequence[Decided], schedule: Schedule) -> list[Decided]:
    """The same decisions with their standing under a revision; those for one line are looked up once."""
    found: dict[tuple[Code, str | None], Standing] = {}
    for one in decided:
        line = one.code, one.words
        if line not in found:
            found[line] = one.under(schedule).standing
    standings = [found[one.code, one.words] for one in decided]
    pairs = zip(decided, standings, strict=True)
    return [one if one.standing is standing else replace(one, standing=standing) for one, standing in pairs]


def lookup_keys(name: str) -> tuple[str, ...]:
    """What goods are looked up by: the stem of each telling word of their name, and its beginning.

    >>> lookup_keys("Always ultra towels")
    ('alway', 'alwa', 'ultra', 'ultr', 'towel', 'towe')
    """
    telling = (word for word in raw_words(name) if is_telling(word))
    return tuple(dict.fromkeys(key for word in telling for key in (stem(word), word[:_PREFIX])))[:MOST_KEYS]
