"""How far an answer's doubt can be trusted, one level at a time: the heading, the first six digits, the whole code.

The trap: sets pooled into one figure, where the errors of one hide those of another; every set stands by itself. A case
without an answer is neither sure nor doubtful, and counts only where a share is of all cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pcs.evaluation.outcome import CaseOutcome
from pcs.tariff.code import Code

LEVELS = {"4": 4, "6": 6, "full": None}
"""Each level by its name, and the digits that it has; None is the whole code."""
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9)
_BINS = 10
_NINE_OF_TEN = 0.9

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The answers whose confidence reaches a threshold: their share of all answers, and the share of them that is
    right (None where there are none)."""

    threshold: float
    share: float
    right: float | None


@dataclass(frozen=True, slots=True)
class LevelFigures:
    """The doubt of one set at one level.

    `calibration_error` is between 0 and 1, `by_chance` what it would be on as many answers if each were right as often
    as it says; `auc` is the probability that a right answer is surer than a wrong one, None
    where all are right or all wrong; `nine_of_ten` is the greatest share of all cases that can be taken, surest first,
    with nine of ten right.
    """

    calibration_error: float
    by_chance: float
    auc: float | None
    nine_of_ten: float
    at_least: tuple[AtLeast, ...]


@dataclass(frozen=True, slots=True)
class PredictionSets:
    """How many answers have the right code in their prediction set, 0 to 1, and how many codes such a set holds."""

    coverage: float
    median_size: float


def sureness(outcomes: Sequence[CaseOutcome], digits: int | None) -> LevelFigures | None:
    """The doubt at this many digits (None: of the whole code); None where no answer was scored."""
    scored = [
        (sure, found.is_right(digits)) for found in outcomes if (sure := confidence_at(found, digits)) is not None
    ]
    if not scored:
        return None
    confidence = np.array([sure for sure, _ in scored])
    right = np.array([is_right for _, is_right in scored], dtype=float)
    return LevelFigures(
        calibration_error=calibration_error(confidence, right),
        by_chance=error_by_chance(confidence),
        auc=auc(confidence, right),
        nine_of_ten=_taken(confidence, right) / len(outcomes),
        at_least=tuple(_at_least(confidence, right, threshold) for threshold in THRESHOLDS),
    )


def prediction_sets(outcomes: Sequence[CaseOutcome]) -> dict[str, PredictionSets]:
    """The prediction sets of headings and of subheadings; a kind that no answer has is left out."""
    results = [(found.case.code, found.result) for found in outcomes if found.result]
    kinds = {
        "4": [(code.heading, result.likely_headings) for code, result in results],
        "6": [(code.subheading, result.likely_subheadings) for code, result in results],
    }
    return {kind: _sets(found) for kind, found in kinds.items() if any(likely for _, likely in found)}


def calibration_error(confidence: Floats, right: Floats) -> float:
    """Expected calibration error over ten equal bins, of confidences and of what was right (0 or 1).

    Source: Naeini, Cooper and Hauskrecht, AAAI 2015.
    """
    bins = _bins(confidence)
    gaps = [abs(confidence[bins == b].sum() - right[bins == b].sum()) for b in range(_BINS)]
    return float(sum(gaps) / len(confidence))


def error_by_chance(confidence: Floats) -> float:
    """The calibration error to expect of confidences that are exactly right: in each bin the mean absolute deviation
    of a normal distribution with the variance of its answers, which is sqrt(2 / pi) of its standard deviation."""
    bins = _bins(confidence)
    variances = np.bincount(bins, weights=confidence * (1 - confidence), minlength=_BINS)
    return float(np.sqrt(2 / np.pi * variances).sum() / len(confidence))


def auc(confidence: Floats, right: Floats) -> float | None:
    """The area under the ROC curve: of a right and a wrong answer, how often the right one is surer, a tie for half."""
    pairs: npt.NDArray[Any] = np.subtract.outer(confidence[right == 1], confidence[right == 0])
    return float((np.sign(pairs).mean() + 1) / 2) if pairs.size else None


def confidence_at(found: CaseOutcome, digits: int | None) -> float | None:
    """How sure an answer is to this many digits (None: of the whole code); None where it was not scored."""
    if found.result is None:
        return None
    if digits is None:
        return found.result.confidence
    levels = {len(level.code): level.confidence for level in found.result.hierarchy if level.code}
    return levels.get(digits)


def _bins(confidence: Floats) -> npt.NDArray[np.int_]:
    bins: npt.NDArray[np.int_] = np.minimum(confidence * _BINS, _BINS - 1).astype(int)
    return bins


def _taken(confidence: Floats, right: Floats) -> int:
    """How many of the surest can be taken with nine of ten right; equally sure ones are taken together or not."""
    order = np.argsort(-confidence, kind="stable")
    shares = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    ends = np.append(np.diff(confidence[order]) != 0, True)
    places = np.flatnonzero(ends & (shares >= _NINE_OF_TEN - 1e-9))
    return int(places[-1]) + 1 if places.size else 0


def _at_least(confidence: Floats, right: Floats, threshold: float) -> AtLeast:
    reached = confidence >= threshold
    return AtLeast(threshold, float(reached.mean()), float(right[reached].mean()) if reached.any() else None)


def _sets(found: Sequence[tuple[Code, Sequence[Code]]]) -> PredictionSets:
    covered = sum(code in likely for code, likely in found) / len(found)
    return PredictionSets(covered, float(np.median([len(likely) for _, likely in found])))
