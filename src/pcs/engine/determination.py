"""The engine's answer and how it was reached. The trap: an answer must be able to say "I do not know" as plainly as it
names a code, so a determination without a code carries the reason instead."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum

from pcs.tariff.code import Code
from pcs.tariff.revision import Revision

MOST_ALTERNATIVES = 5
MOST_CITED = 3


class Undetermined(StrEnum):
    """Why no code could be given."""

    INSUFFICIENT_INFORMATION = "INSUFFICIENT_INFORMATION"


@dataclass(frozen=True, slots=True)
class Level:
    """One step of the path through the tree: a code (None for a group without one), its words, its probability."""

    code: Code | None
    text: str
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Alternative:
    """A line that could be right, and the fact that separates it from the answer."""

    code: Code
    description: str
    confidence: float | None
    separated_by: str


@dataclass(frozen=True, slots=True)
class CitedRuling:
    """A ruling in the corpus that is near in goods and code; `url` is None where it has no page."""

    reference: str
    date: dt.date | None
    subject: str
    codes: tuple[Code, ...]
    status: str
    url: str | None
    relevance: str


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the analysis: what was done and found. `milliseconds` is its duration, not part of equality of
    answers."""

    name: str
    outcome: str
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Determination:
    """The engine's answer on one product under one revision.

    `code` is a declarable line of the revision, or None with `undetermined` set. `confidence` is the calibrated
    probability, 0 to 1, that the whole code is right; None when not scored. `confident_digits` is the number of digits
    that hold with a probability of at least one half.
    """

    revision: Revision
    code: Code | None
    description: str
    reasoning: str
    hierarchy: tuple[Level, ...] = ()
    undetermined: Undetermined | None = None
    confidence: float | None = None
    confident_digits: int | None = None
    alternatives: tuple[Alternative, ...] = ()
    gri_applied: tuple[str, ...] = ()
    rulings: tuple[CitedRuling, ...] = ()
    missing_information: tuple[str, ...] = ()
    needs_review: bool = False
    duty_general: str | None = None
    duty_special: str | None = None
    duty_other: str | None = None
    units: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
