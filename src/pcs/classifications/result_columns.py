"""How answers stand in a spreadsheet: behind the customer's own columns, which stay as they were.

The trap: a column of ours with the title of one of theirs; ours then says which schedule it is of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pcs.classifications.model import Classification
from pcs.engine.result import Result
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

_TITLES = (
    *("code", "description", "confidence", "needs_review", "alternatives"),
    *("error", "reasoning", "schedule_revision"),
)


@dataclass(frozen=True, slots=True)
class ResultCells:
    """One answer as a spreadsheet shows it; `alternatives` are codes with their confidence, 0 to 1."""

    code: str = ""
    description: str = ""
    confidence: float | None = None
    needs_review: bool | None = None
    alternatives: Sequence[tuple[str, float | None]] = ()
    error: str = ""
    reasoning: str = ""
    revision: str = ""

    @property
    def cells(self) -> tuple[object, ...]:
        """One cell a title."""
        others = "; ".join(code if sure is None else f"{code} ({sure:.0%})" for code, sure in self.alternatives)
        sure = None if self.confidence is None else round(self.confidence, 3)
        review = None if self.needs_review is None else "yes" if self.needs_review else "no"
        return self.code, self.description, sure, review, others, self.error, self.reasoning, self.revision


def answered(one: Classification) -> ResultCells:
    """A classification as it stands now; codes have their dots, so that a spreadsheet keeps a zero in front."""
    if one.failure is not None:
        return ResultCells(error=one.failure.message)
    return (
        ResultCells(error="is not finished yet") if one.result is None else shown(one.result, lambda code: code.dotted)
    )


def shown(result: Result, written: Callable[[Code], str]) -> ResultCells:
    """A result, with its codes as they are `written`."""
    return ResultCells(
        code=written(result.code),
        description=result.description,
        confidence=result.confidence,
        needs_review=result.needs_review,
        alternatives=[(written(other.code), other.confidence) for other in result.alternatives],
        reasoning=result.reasoning,
        revision=result.schedule_revision,
    )


def result_titles(schedules: Sequence[ScheduleName], taken: Sequence[str]) -> list[str]:
    """The titles of the columns of each schedule's answers, behind those that are `taken`.

    >>> result_titles([ScheduleName.EU_CN], ["Name", "Description"])[:3]
    ['code', 'EU-CN description', 'confidence']
    """
    used = {title.strip().casefold() for title in taken}
    titles: list[str] = []
    for schedule in schedules:
        for title in _TITLES:
            chosen = f"{schedule} {title}" if len(schedules) > 1 or title in used else title
            while chosen.casefold() in used:
                chosen = f"{chosen} (new)"
            used.add(chosen.casefold())
            titles.append(chosen)
    return titles
