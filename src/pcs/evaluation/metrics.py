"""How right, how sure and how fast. The trap: a mean without its uncertainty; every share comes with a bootstrap
interval from a fixed seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pcs.engine.determination import Determination
from pcs.engine.result import Result
from pcs.evaluation.cases import Case
from pcs.tariff.code import Code

DIGITS = (2, 4, 6, 8, 10)
_RESAMPLES = 1_000
_BINS = 10


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """One case, what the engine answered and how long it took."""

    case: Case
    determination: Determination
    milliseconds: float

    @property
    def result(self) -> Result | None:
        """What the engine found, None where it gave no code."""
        return self.determination.result

    def is_right(self, digits: int) -> bool:
        """Whether the first answer equals the label to this many digits (or to the label's end)."""
        return self.result is not None and self._agrees(self.result.code, digits)

    def has_right(self, digits: int) -> bool:
        """Whether the first answer or one of its alternatives does."""
        found = (self.result.code, *(other.code for other in self.result.alternatives)) if self.result else ()
        return any(self._agrees(code, digits) for code in found)

    @property
    def is_exact(self) -> bool:
        """Whether the answer is right to the end of the label, which may stop at 8 digits in the US."""
        return self.is_right(len(self.case.code))

    def _agrees(self, code: Code, digits: int) -> bool:
        digits = min(digits, len(self.case.code))
        return code[:digits] == self.case.code[:digits]


@dataclass(frozen=True, slots=True)
class Share:
    """A share of cases, 0 to 1, with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SetFigures:
    """The figures of one set. `calibration_error` is None where nothing was scored; times are milliseconds."""

    cases: int
    exact: Share
    first: dict[int, Share]
    top_five: dict[int, Share]
    answered: float
    calibration_error: float | None
    median_ms: float
    p99_ms: float
    confusions: tuple[tuple[str, str, int], ...]


def summarise(outcomes: Sequence[CaseOutcome]) -> SetFigures:
    """The figures of a set of outcomes, which must not be empty."""
    longest = max(len(outcome.case.code) for outcome in outcomes)
    digits = [places for places in DIGITS if places <= longest]
    times = np.array([outcome.milliseconds for outcome in outcomes])
    return SetFigures(
        cases=len(outcomes),
        exact=_share(outcomes, lambda outcome: outcome.is_exact),
        first={places: _share(outcomes, lambda outcome, n=places: outcome.is_right(n)) for places in digits},  # type: ignore[misc]
        top_five={places: _share(outcomes, lambda outcome, n=places: outcome.has_right(n)) for places in digits},  # type: ignore[misc]
        answered=sum(outcome.result is not None for outcome in outcomes) / len(outcomes),
        calibration_error=calibration_error(outcomes),
        median_ms=float(np.median(times)),
        p99_ms=float(np.percentile(times, 99)),
        confusions=_confusions(outcomes),
    )


def calibration_error(outcomes: Sequence[CaseOutcome]) -> float | None:
    """Expected calibration error of the whole code over ten equal bins; None where no answer was scored.

    Source: Naeini, Cooper and Hauskrecht, AAAI 2015.
    """
    scored = [
        (found.result.confidence, found.is_exact)
        for found in outcomes
        if found.result is not None and found.result.confidence is not None
    ]
    if not scored:
        return None
    confidence = np.array([sure for sure, _ in scored])
    right = np.array([exact for _, exact in scored], dtype=float)
    bins = np.minimum((confidence * _BINS).astype(int), _BINS - 1)
    gaps = [abs(confidence[bins == b].sum() - right[bins == b].sum()) for b in range(_BINS)]
    return float(sum(gaps) / len(scored))


def _share(outcomes: Sequence[CaseOutcome], holds: Callable[[CaseOutcome], bool]) -> Share:
    hits = np.array([holds(outcome) for outcome in outcomes], dtype=float)
    resamples = np.random.default_rng(0).binomial(len(hits), hits.mean(), _RESAMPLES) / len(hits)
    low, high = np.percentile(resamples, [2.5, 97.5])
    return Share(float(hits.mean()), float(low), float(high))


def _confusions(outcomes: Sequence[CaseOutcome]) -> tuple[tuple[str, str, int], ...]:
    """The ten most frequent pairs (right heading, answered heading)."""
    wrong = [found for found in outcomes if not found.is_right(4)]
    answered = ((found, found.result.code.heading if found.result else "none") for found in wrong)
    pairs = Counter((str(found.case.code.heading), str(answer)) for found, answer in answered)
    return tuple((*pair, count) for pair, count in sorted(pairs.items(), key=lambda item: (-item[1], item[0]))[:10])
