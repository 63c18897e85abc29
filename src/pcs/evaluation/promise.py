"""A promise instead of a number: the confidence above which, of the answers taken without a look, at least so many are
right, with so much certainty, by what people said of a random share.

The traps: a bound for all answers there could ever be, where a customer counts those that came; each threshold is
tested for as many answers to come as were reviewed, by the exact hypergeometric test (Thatcher, J. R. Stat. Soc. B 26,
1964). And the best of many thresholds, which looks good by luck: they are tested in an order that is fixed beforehand,
the surest first, up to the first that fails: fixed-sequence testing, which keeps the certainty over all of them
(Angelopoulos, Bates, Candès, Jordan and Lei, "Learn then Test", arXiv:2110.01052). Intervals are Clopper and Pearson's
(Biometrika 26, 1934)."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np
import numpy.typing as npt

_ROUNDING = 1e-9
STEPS = 10
"""The thresholds that are tested: those that take a tenth, two tenths, ... of the reviewed answers."""


@dataclass(frozen=True)
class Promise:
    """At least the share `right` of answers taken is right to this many `digits`, said with this `certainty`; both are
    above 0 and below 1, and a `right` beyond 0.99 would take more reviews than anybody makes."""

    right: float = 0.95
    digits: int = 6
    certainty: float = 0.9

    @cached_property
    def fewest(self) -> int:
        """How many reviewed answers, all of them right, are the fewest that can bear it."""
        return next(size for size in count(1) if by_luck(self, size, size) <= 1 - self.certainty)


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What was said of an answer of this confidence: whether it was right."""

    confidence: float
    right: bool


@dataclass(frozen=True, slots=True)
class Band:
    """Answers of at least this confidence: how many were reviewed and right, and the lower and upper end of the
    two-sided interval of Clopper and Pearson."""

    confidence: float
    reviewed: int
    right: int
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Kept:
    """What reviews bear: the `threshold` from which on answers can be taken, None where none can; the share of the
    reviewed answers that reach it; and where it is None, how many reviews more would bear it if they came out like
    these, None where no number would."""

    reviewed: int
    threshold: float | None = None
    share: float = 0.0
    missing: int | None = None


def kept(promise: Promise, reviewed: Sequence[Reviewed]) -> Kept:
    """The least confidence for which reviews bear a promise. They must be a random share of all answers."""
    steps = list(_steps(reviewed))
    best: tuple[float, int] | None = None
    for threshold, taken, right in steps:
        if taken < promise.fewest:
            continue
        if by_luck(promise, taken, right) > 1 - promise.certainty:
            break
        best = threshold, taken
    if best is None:
        return Kept(len(reviewed), missing=_missing(promise, len(reviewed), steps))
    return Kept(len(reviewed), best[0], best[1] / len(reviewed))


def interval(right: int, reviewed: int, certainty: float = 0.9) -> tuple[float, float]:
    """The interval of Clopper and Pearson around a share.

    >>> tuple(round(end, 3) for end in interval(19, 20, 0.95))
    (0.751, 0.999)
    """
    from scipy.special import betaincinv  # noqa: PLC0415 - slow to import, and most processes compute no interval

    side = (1 - certainty) / 2
    lower = float(betaincinv(right, reviewed - right + 1, side)) if right else 0.0
    upper = float(betaincinv(right + 1, reviewed - right, 1 - side)) if right < reviewed else 1.0
    return lower, upper


def bands(reviewed: Sequence[Reviewed], edges: Sequence[float]) -> list[Band]:
    """The precision between edges of confidence, which begin with the least; empty bands are left out."""
    ends = [*edges[1:], math.inf]
    found = []
    for low, high in zip(edges, ends, strict=True):
        inside = [one.right for one in reviewed if low <= one.confidence < high]
        if inside:
            found.append(Band(low, len(inside), sum(inside), *interval(sum(inside), len(inside))))
    return found


def is_asked(classification_id: str, share: float) -> bool:
    """Whether an answer belongs to the random share that a person is always asked about; the same at every look."""
    digest = hashlib.sha256(classification_id.encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64


def _steps(reviewed: Sequence[Reviewed]) -> Iterator[tuple[float, int, int]]:
    """Each threshold that is tested, the surest first, with how many reach it and are right; equals stay together."""
    confidence: npt.NDArray[np.float64] = np.array([one.confidence for one in reviewed])
    order = np.argsort(-confidence, kind="stable")
    rights = np.cumsum([reviewed[place].right for place in order])
    falling = confidence[order]
    for step in range(1, STEPS + 1):
        place = len(reviewed) * step // STEPS
        if place:
            threshold = falling[place - 1]
            taken = int(np.searchsorted(-falling, -threshold, side="right"))
            yield float(threshold), taken, int(rights[taken - 1])


def by_luck(promise: Promise, taken: int, right: int) -> float:
    """How probable it is at most that of twice as many answers the half that is reviewed has so many right ones, where
    the other half has fewer than promised."""
    failing = math.ceil(promise.right * taken - _ROUNDING) - 1
    rights = right + max(failing, 0)
    seen = np.arange(right, min(taken, rights) + 1)
    ways = _log_choose(rights, seen) + _log_choose(2 * taken - rights, taken - seen) - _log_choose(2 * taken, taken)
    return min(1.0, float(np.exp(ways).sum()))


def _log_choose(size: float, chosen: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The logarithm of the number of ways to choose; minus infinity where there are none."""
    from scipy.special import gammaln  # noqa: PLC0415 - as above

    chosen = np.asarray(chosen, dtype=float)
    found: npt.NDArray[np.float64] = gammaln(size + 1) - gammaln(chosen + 1) - gammaln(size - chosen + 1)
    return found


def _missing(promise: Promise, reviewed: int, steps: Sequence[tuple[float, int, int]]) -> int | None:
    """How many reviews more would bear it at some step, if they came out like those before."""
    if reviewed < promise.fewest:
        return promise.fewest - reviewed
    least = min((_growth(promise, taken, right) for _, taken, right in steps), default=math.inf)
    return None if math.isinf(least) else math.ceil((least - 1) * reviewed)


def _growth(promise: Promise, taken: int, right: int) -> float:
    """By how much both counts must grow until luck is improbable enough; infinite beyond tenfold."""
    growths = (1.1**power for power in range(25)) if right > promise.right * taken else ()
    enough = (
        growth
        for growth in growths
        if by_luck(promise, round(taken * growth), round(right * growth)) <= 1 - promise.certainty
    )
    return next(enough, math.inf)
