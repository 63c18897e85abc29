"""How sure an answer is at each level: the heading, the first six digits, the whole code. The trap: a sum over all
kinds of texts, where the errors of one hide those of another; every kind weighs the same here.

A logistic regression a level (Platt, 1999), fifteen numbers in all, fitted on the development sets with each set
weighing the same (`python -m benchmarks.confidence`): no text of theirs is in them."""

from __future__ import annotations

import math
from dataclasses import dataclass

_SUREST = 0.005  # beyond this a probability says no more

# Constant, then: log odds of the heading, of it by the shared model alone, share of what was said that it covers.
_HEADING = (-0.091, 0.402, 0.213, 0.588)
# Constant, then: log odds of the heading, of the subheading in it, whether both schedules agree, log of its lines.
_SUBHEADING = (-0.939, 0.555, 0.199, 0.424, -0.15)
# Constant, then: log odds of the heading, of the subheading in it, of the line in that, log of the heading's lines, and
# facts said two ways.
_LINE = (-1.638, 0.452, 0.186, 0.202, -0.123, -0.306)
_MOST_CONTRADICTIONS = 2
LIKELY = 0.0025
"""Headings of at least this probability hold the right one for nine of ten goods of the development sets: least
ambiguous sets (Sadinle, Lei and Wasserman, 2019), the threshold by split conformal prediction."""
LIKELY_SUBHEADING = 0.001
"""Subheadings of at least this probability, of the headings ranked: they hold the right one for 68 to 89 % of the
goods, by development set; for more, headings would be needed that are not ranked."""


@dataclass(frozen=True, slots=True)
class Certainty:
    """What the confidence of an answer is made of: the probability of the heading by all evidence and by the shared
    model alone, the share of what was said that its terms cover, the shares of its best subheading and of the best
    line in that, whether both schedules agree on the subheading, how many lines the heading has, and how many facts
    that decide around the line were said in ways that cannot both be right."""

    heading: float
    shared: float
    covered: float
    subheading: float
    line: float
    agreed: bool
    lines: int
    contradictions: int = 0

    def for_heading(self) -> tuple[float, ...]:
        """What the heading's regression weighs."""
        return _log_odds(self.heading), _log_odds(self.shared), self.covered

    def for_subheading(self) -> tuple[float, ...]:
        """What that of the first six digits weighs."""
        return _log_odds(self.heading), _log_odds(self.subheading), float(self.agreed), math.log(self.lines)

    def for_line(self, share: float) -> tuple[float, ...]:
        """What that of the whole code weighs, for what has this share of the subheading's probability."""
        contradictions = float(min(self.contradictions, _MOST_CONTRADICTIONS))
        shares = (self.heading, self.subheading, share)
        return *map(_log_odds, shares), math.log(self.lines), contradictions

    def of_heading(self) -> float:
        """The probability, 0 to 1, that the heading is right."""
        return _logistic(_HEADING, self.for_heading())

    def of_subheading(self) -> float:
        """That the first six digits are; no more than the heading's."""
        return min(_logistic(_SUBHEADING, self.for_subheading()), self.of_heading())

    def below(self, share: float) -> float:
        """That what has this share of the subheading's probability is; no more than the subheading's."""
        return min(_logistic(_LINE, self.for_line(share)), self.of_subheading())

    def of_line(self) -> float:
        """That the whole code is."""
        return self.below(self.line)


def _logistic(weights: tuple[float, ...], values: tuple[float, ...]) -> float:
    total = weights[0] + sum(weight * value for weight, value in zip(weights[1:], values, strict=True))
    return 1 / (1 + math.exp(-total))


def _log_odds(probability: float) -> float:
    return math.log(max(probability, _SUREST) / max(1 - probability, _SUREST))
