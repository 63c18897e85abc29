"""How sure an answer is. The trap: a model's own probability is too sure of goods unlike those it learned from, so the
share of the words it knows counts too."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# The columns of the regression, in order.
DOUBT = (
    "constant",
    "log odds of the heading",
    "log odds of the line",
    "share of known words",
    "log odds of the heading by the shared model",
)


# What others ask is answered right less often than our own held-back goods on the same evidence: by this much in log
# odds, measured on the development sets (0.3 to 0.8 keep the calibration error of all of them together under 0.08).
_OF_OTHERS = -0.6
_SUREST = 0.005  # beyond this a probability says no more


@dataclass(frozen=True, slots=True)
class Doubt:
    """What the confidence of an answer at one level is made of: probabilities and the share of known words, 0 to 1."""

    heading: float
    line: float
    known: float
    shared: float

    @property
    def evidence(self) -> tuple[float, ...]:
        """The columns of the regression."""
        return (
            1.0,
            _log_odds(self.heading),
            _log_odds(self.line),
            self.known,
            _log_odds(self.shared),
        )


def _log_odds(probability: float) -> float:
    return math.log(max(probability, _SUREST) / max(1 - probability, _SUREST))


@dataclass(frozen=True, slots=True)
class Calibration:
    """A logistic regression from doubt to the probability of being right. Source: Platt, 1999."""

    weights: tuple[float, ...]

    def confidence(self, doubt: Doubt) -> float:
        """The probability, 0 to 1, that the answer is right."""
        total = _OF_OTHERS + sum(weight * value for weight, value in zip(self.weights, doubt.evidence, strict=True))
        return 1 / (1 + math.exp(-max(min(total, 30.0), -30.0)))


def fit_calibration(cases: Sequence[tuple[Doubt, bool]]) -> Calibration:
    """The regression on held-out goods: doubt, and whether the answer was right."""
    from scipy.optimize import minimize  # noqa: PLC0415 - only training needs it, and it is slow to import

    rows = np.array([doubt.evidence for doubt, _ in cases])
    right = np.array([1.0 if exact else 0.0 for _, exact in cases])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = rows @ weights
        likelihood = float((right * scores - np.logaddexp(0, scores)).sum())
        slope = rows.T @ (right - 1 / (1 + np.exp(-scores)))
        return (0.5 * weights @ weights - likelihood) / len(cases), (weights - slope) / len(cases)

    found = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B")
    return Calibration(tuple(np.round(found.x, 6).tolist()))
