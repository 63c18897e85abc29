"""How much is gained by asking about how many answers: the least certain first. The trap: a threshold chosen by
feeling; each point says what share would be asked about, what that costs and what would then be right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pcs.evaluation.outcome import CaseOutcome

_TENTHS = 10
_WORTH = 0.9  # of the whole gain


@dataclass(frozen=True, slots=True)
class Pair:
    """A case answered by the engine alone and after its assessment, with what that took; `cost` in any currency.
    `asked` is False where the engine was too sure to be asked about."""

    alone: CaseOutcome
    assessed: CaseOutcome
    tokens: int
    cost: float
    asked: bool = True

    @property
    def confidence(self) -> float:
        """How sure the engine was; nothing is less sure than an answer that is not scored."""
        result = self.alone.result
        return -1.0 if result is None or result.confidence is None else result.confidence


@dataclass(frozen=True, slots=True)
class Point:
    """What asking about answers of less than `ask_below` comes to. Shares are of all cases, `six` and `whole` right."""

    ask_below: float
    asked: float
    six: float
    whole: float
    tokens: int
    cost: float


def curve(pairs: Sequence[Pair]) -> list[Point]:
    """A point each tenth of the cases, from nobody asked to all that were."""
    ordered = sorted(pairs, key=lambda pair: pair.confidence)
    most = max((place for place, pair in enumerate(ordered, start=1) if pair.asked), default=0)
    counts = dict.fromkeys(min(round(len(ordered) * tenth / _TENTHS), most) for tenth in range(_TENTHS + 1))
    return [_point(ordered, count) for count in counts] if ordered else []


def enough(points: Sequence[Point]) -> Point | None:
    """The first point with nine tenths of the gain at six digits; None where asking gains nothing."""
    if not points or points[-1].six <= points[0].six:
        return None
    wanted = points[0].six + _WORTH * (points[-1].six - points[0].six)
    return next(point for point in points if point.six >= wanted - 1e-9)


def as_json(points: Sequence[Point]) -> dict[str, Any]:
    """For programs."""
    best = enough(points)
    return {"points": [asdict(point) for point in points], "ask_below": best and best.ask_below}


def as_markdown(points: Sequence[Point]) -> str:
    """For people."""
    lines = ["| ask below | asked | right at 6 digits | right whole | tokens | cost |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {one.ask_below:.2f} | {one.asked:.0%} | {one.six:.1%} | {one.whole:.1%} | {one.tokens:,} | {one.cost:.4f} |"
        for one in points
    ]
    best = enough(points)
    told = (
        "Asking gained nothing at six digits on these cases."
        if best is None
        else f"Nine tenths of the gain: PCS_REVIEWER_ASK_BELOW={best.ask_below:.2f}, {best.asked:.0%} asked."
    )
    return "\n".join([*lines, "", told])


def _point(ordered: Sequence[Pair], asked: int) -> Point:
    """The first so many asked about. `ask_below` lies just above the last of them."""
    answers = [pair.assessed for pair in ordered[:asked]] + [pair.alone for pair in ordered[asked:]]
    below = 1.0 if asked == len(ordered) else max(ordered[asked].confidence, 0.0)
    return Point(
        ask_below=below,
        asked=asked / len(ordered),
        six=sum(one.is_right(6) for one in answers) / len(ordered),
        whole=sum(one.is_exact for one in answers) / len(ordered),
        tokens=sum(pair.tokens for pair in ordered[:asked]),
        cost=sum(pair.cost for pair in ordered[:asked]),
    )
