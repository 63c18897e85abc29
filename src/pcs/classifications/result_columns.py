"""How answers stand in a spreadsheet: behind the customer's own columns, which stay as they were.

The trap: a column of ours with the title of one of theirs; ours then says which schedule it is of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace

from pcs.classifications.model import Classification, DecidedBy
from pcs.engine.reading.understood import Understood
from pcs.engine.result import Result, percent
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName


@dataclass(frozen=True, slots=True)
class ResultCells:
    """One answer in a row of a table, the final code first; `alternatives` are codes with their confidence, 0 to 1."""

    final_code: str = ""
    final_description: str = ""
    decided_by: str = ""
    code: str = ""
    description: str = ""
    confidence: float | None = None
    needs_review: bool | None = None
    alternatives: Sequence[tuple[str, float | None]] = ()
    confident_digits: int | None = None
    missing_information: Sequence[str] = ()
    reading: Understood = Understood()  # noqa: RUF009 - frozen
    error: str = ""
    reasoning: str = ""
    schedule_revision: str = ""

    @property
    def cells(self) -> tuple[object, ...]:
        """One cell a title, as a spreadsheet shows it."""
        others = "; ".join(code if sure is None else f"{code} ({percent(sure)})" for code, sure in self.alternatives)
        told = {
            "confidence": None if self.confidence is None else round(self.confidence, 3),
            "needs_review": None if self.needs_review is None else "yes" if self.needs_review else "no",
            "alternatives": others,
            "missing_information": " ".join(self.missing_information),
            "reading": str(self.reading),
        }
        return tuple(told.get(title, getattr(self, title)) for title in _TITLES)

    @property
    def values(self) -> tuple[object, ...]:
        """One JSON value a title."""
        others = [{"code": code, "confidence": sure} for code, sure in self.alternatives]
        told = {"alternatives": others, "missing_information": list(self.missing_information)}
        told["reading"] = asdict(self.reading)
        return tuple(told.get(title, getattr(self, title)) for title in _TITLES)


_TITLES = tuple(field.name for field in fields(ResultCells))


def answered(one: Classification) -> ResultCells:
    """A classification as it stands now; codes have their dots, so that a spreadsheet keeps a zero in front."""
    cells = _machine(one)
    final = one.final
    if final is None:
        return cells
    return replace(
        cells, final_code=final.code.dotted, final_description=final.description, decided_by=final.decided_by.value
    )


def _machine(one: Classification) -> ResultCells:
    if one.failure is not None:
        return ResultCells(error=one.failure.message)
    if one.result is None:
        return ResultCells(error="is not finished yet")
    return _cells(one.result, lambda code: code.dotted)


def shown(result: Result, written: Callable[[Code], str]) -> ResultCells:
    """A result, with its codes as they are `written`; where no review is needed, the machine decides."""
    cells = _cells(result, written)
    if not result.may_be_taken:
        return cells
    return replace(cells, final_code=cells.code, final_description=cells.description, decided_by=DecidedBy.ENGINE.value)


def _cells(result: Result, written: Callable[[Code], str]) -> ResultCells:
    return ResultCells(
        code=written(result.code),
        description=result.description,
        confidence=result.confidence,
        needs_review=result.needs_review,
        confident_digits=result.confident_digits,
        alternatives=[(written(other.code), other.confidence) for other in result.alternatives],
        missing_information=result.missing_information,
        reading=result.reading,
        reasoning=result.reasoning,
        schedule_revision=result.schedule_revision,
    )


def result_titles(
    schedules: Sequence[ScheduleName], taken: Sequence[str], titles_of_one: Sequence[str] = _TITLES
) -> list[str]:
    """The titles of the columns of each schedule's answers, behind those that are `taken`.

    >>> result_titles([ScheduleName.EU_CN], ["Name", "Description"])[:3]
    ['final_code', 'final_description', 'decided_by']
    """
    used = {title.strip().casefold() for title in taken}
    titles: list[str] = []
    for schedule in schedules:
        for title in titles_of_one:
            chosen = f"{schedule} {title}" if len(schedules) > 1 or title in used else title
            while chosen.casefold() in used:
                chosen = f"{chosen} (new)"
            used.add(chosen.casefold())
            titles.append(chosen)
    return titles
