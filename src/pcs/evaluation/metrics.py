"""How right, how sure and how fast one set is. The trap: a mean without its uncertainty; every share comes with a
bootstrap interval from a fixed seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pcs.evaluation.outcome import CaseOutcome
from pcs.evaluation.sureness import LEVELS, LevelFigures, PredictionSets, prediction_sets, sureness

DIGITS = (2, 4, 6, 8, 10)
_RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Share:
    """A share of cases, 0 to 1, with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SetFigures:
    """The figures of one set: `sureness` by level, `likely` the prediction sets of headings (`4`) and subheadings
    (`6`); times are milliseconds."""

    cases: int
    exact: Share
    first: dict[int, Share]
    top_five: dict[int, Share]
    answered: float
    sureness: dict[str, LevelFigures]
    likely: dict[str, PredictionSets]
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
        sureness={name: found for name, digits in LEVELS.items() if (found := sureness(outcomes, digits))},
        likely=prediction_sets(outcomes),
        median_ms=float(np.median(times)),
        p99_ms=float(np.percentile(times, 99)),
        confusions=_confusions(outcomes),
    )


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
