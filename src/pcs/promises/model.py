"""A promise of an organization, what decides by it whether an answer waits for a person, and what reviews bear of it.

The trap: evidence from the answers that people chose to look at, which are the doubtful ones; only those drawn by
chance among all that could be taken, of whatever confidence, say how right those are that nobody looks at."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace

from pcs.base.tasks import DELIVERY, Task
from pcs.engine.determination import Determination
from pcs.engine.result import REVIEW_BELOW, TOO_LITTLE
from pcs.evaluation.promise import Kept, Promise, Reviewed, is_asked
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

COMPUTE = Task("promises.compute", DELIVERY)
"""Its subject is whose answers, and under which schedule: `org_…/live/US-HTS`."""

USUAL_SHARE = 0.05
"""Of the answers that could be taken, so many are asked about where nobody says otherwise."""
FEWEST_RIGHT, MOST_RIGHT = 0.5, 0.99
LEAST_SHARE = 0.001
DIGITS = (4, 6, 8, 10)
"""To how many digits an answer can be promised right; a code that has fewer counts whole."""
NEWEST = 2_000
"""Reviews that count, of each schedule: what was right two years ago says little of today's answers."""


@dataclass(frozen=True, slots=True)
class PromiseTerms:
    """What an organization promises in one environment, and the share of answers that it is asked about for it."""

    promise: Promise
    asked_share: float = USUAL_SHARE


@dataclass(frozen=True, slots=True)
class ReviewTerms:
    """By what an answer waits for a person: its probability is under `review_below`, 0 to 1, or where a promise is
    borne, that of its first `digits` is under `threshold`; or it is among the `asked_share` drawn by chance."""

    review_below: float = REVIEW_BELOW
    threshold: float | None = None
    digits: int | None = None
    asked_share: float = 0.0

    def judged(self, found: Determination) -> Determination:
        """The answer, marked where it waits. What the organization has decided itself is no part of a promise."""
        if self.threshold is None or found.is_repeated:
            return found.judged(self.review_below)
        judged = found.judged(self.threshold, self.digits)
        return judged if judged.result is None or judged.result.may_be_taken else waiting(judged)

    def asks_by_chance(self, classification_id: str, engine: Determination, found: Determination) -> bool:
        """Whether it is drawn among the answers that could be taken: nothing but its confidence speaks against it, as
        it is the `engine`'s, who has no doubt of its own."""
        if engine.result is None or found.result is None or found.is_repeated or engine.code != found.code:
            return False
        sure = found.result.confidence
        if engine.result.needs_review or (sure is not None and sure < TOO_LITTLE):
            return False
        return is_asked(classification_id, self.asked_share)


def waiting(found: Determination) -> Determination:
    """The same, waiting for a person."""
    return found if found.result is None else replace(found, answer=replace(found.result, needs_review=True))


@dataclass(frozen=True, slots=True)
class Evidence:
    """A person's word on an answer that was drawn by chance. `right_digits` is how many leading digits are right, all
    of them where it was accepted; `levels` is the probability of each length of its code.
    `has_near_decisions` says that decisions on goods near spoke for it."""

    code: Code
    right_digits: int
    levels: tuple[tuple[int, float], ...]
    completed_on: dt.date
    has_near_decisions: bool = False

    def at(self, digits: int) -> Reviewed | None:
        """The same at so many digits; None where that was not scored."""
        wanted = min(digits, len(self.code))
        sure = next((share for length, share in self.levels if length >= wanted), None)
        return None if sure is None else Reviewed(sure, self.right_digits >= wanted)


@dataclass(frozen=True, slots=True)
class BrokenPromise:
    """That reviews ended a threshold: of so many reviewed answers at it or surer, so many were right."""

    at: dt.datetime
    threshold: float
    reviewed: int
    right: int


@dataclass(frozen=True, slots=True)
class ThresholdOfSchedule:
    """What the reviews under one schedule bear, as of `computed_at`, None where that is still to come; `to_review` of
    the answers drawn by chance wait for a person."""

    schedule: ScheduleName
    kept: Kept
    to_review: int = 0
    computed_at: dt.datetime | None = None
    broken: BrokenPromise | None = None


@dataclass(frozen=True, slots=True)
class PromiseReport:
    """A promise, and what holds of it under each schedule."""

    terms: PromiseTerms
    schedules: tuple[ThresholdOfSchedule, ...]
