"""Choosing between the lines of one heading: a conditional logit over named evidence. The trap: evidence whose scale
differs from heading to heading; each piece is a share, a count or a model's score, never a raw sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# What speaks for or against a line; the order is the order of the columns.
EVIDENCE = (
    "facts that lead here",
    "facts that lead elsewhere",
    "unsaid facts whose usual value leads here",
    "unsaid facts whose usual value leads elsewhere",
    "share of the provision's words said",
    "share of the path's words said",
    "residual",
    "residual levels above",
    "no example known",
    "shared model's log share of the subheading",
    "naive Bayes' log share of the subheading",
    "naive Bayes' log share of the line",
)


@dataclass(frozen=True, slots=True)
class ChoiceWeights:
    """One weight a piece of evidence."""

    weights: tuple[float, ...]

    def scores(self, evidence: Floats) -> Floats:
        """The score of each line, from its evidence, shape (lines, len(EVIDENCE))."""
        found: Floats = evidence @ np.array(self.weights)
        return found

    def of_facts(self, counts: Floats) -> Floats:
        """What facts alone add to the score of each line, from their four counts, shape (4, lines)."""
        found: Floats = np.array(self.weights[: len(counts)]) @ counts
        return found

    def probabilities(self, evidence: Floats) -> Floats:
        """The probability of each line, from its evidence, shape (lines, len(EVIDENCE))."""
        return softmax(self.scores(evidence))


def softmax(scores: npt.NDArray[np.floating]) -> Floats:
    """Scores as probabilities that sum to 1."""
    raised = np.exp(scores.astype(np.float64) - scores.max())
    shares: Floats = raised / raised.sum()
    return shares


@dataclass(frozen=True, slots=True)
class TaughtChoice:
    """Goods whose line is known: the evidence for each line of their heading, what said facts add to each line's score,
    and the right line's place."""

    evidence: Floats
    decided: Floats
    right: int


def fit_choice(cases: Sequence[TaughtChoice], *, ridge: float = 1.0) -> ChoiceWeights:
    """The weights that make the right lines most probable beside what said facts decide.

    Source: McFadden, "Conditional logit analysis of qualitative choice behavior", 1974.
    """
    from scipy.optimize import minimize  # noqa: PLC0415 - only training needs it, and it is slow to import

    rows = np.vstack([case.evidence for case in cases])
    given = np.concatenate([case.decided for case in cases])
    lengths = np.array([len(case.decided) for case in cases])
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    segment = np.repeat(np.arange(len(cases)), lengths)
    right = starts + np.array([case.right for case in cases])

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = rows @ weights + given
        top = np.maximum.reduceat(scores, starts)
        raised = np.exp(scores - top[segment])
        totals = np.add.reduceat(raised, starts)
        likelihood = float((scores[right] - top - np.log(totals)).sum())
        slope = rows[right].sum(axis=0) - rows.T @ (raised / totals[segment])
        return float(ridge * weights @ weights - likelihood) / len(cases), (2 * ridge * weights - slope) / len(cases)

    found = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B")
    return ChoiceWeights(tuple(np.round(found.x, 6).tolist()))
