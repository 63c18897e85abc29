"""The result of a classification on the wire. The trap: a document that was stored by an earlier version; everything
beyond the contract's own fields may be absent from it, and then is not sent."""

from __future__ import annotations

import datetime as dt

from pydantic import ConfigDict, Field

from pcs.http.wire import Answer
from pcs.tariff.revision import ScheduleName


class Stored(Answer):
    """A part of a stored document: read as JSON, so a date may come as text."""

    model_config = ConfigDict(strict=False, extra="ignore", json_schema_extra=None)  # null has a meaning here


class LevelOutput(Stored):
    """One step of the path through the schedule, from the top."""

    code: str | None = Field(description="Null for a group that has words but no code.")
    description: str
    confidence: float | None = Field(
        description="The probability that the path is right up to here; null = not scored."
    )


class AlternativeOutput(Stored):
    """A code that could be right instead."""

    code: str
    description: str
    confidence: float | None
    separated_by: str = Field(description="The fact that tells it from the answer.")


class RulingOutput(Stored):
    """A ruling on goods like these, in the local corpus and in force."""

    id: str
    date: dt.date | None
    url: str | None
    subject: str
    status: str
    codes: list[str]
    relevance: str | None = Field(default=None, description="Why it is cited.")


class ResultDuty(Stored):
    """Rates of duty in the publisher's words; null where the loaded schedule has none."""

    general: str | None
    special: str | None
    other: str | None


class AnalysisStep(Stored):
    """One step of the analysis."""

    name: str
    outcome: str
    milliseconds: float


class Result(Stored):
    """What both schedules' results have in common."""

    supporting_rulings: list[str] = Field(description="Ruling numbers, each in the local corpus; never invented.")
    reasoning: str
    confidence: float | None = Field(
        default=None, ge=0, le=1, description="The calibrated probability that the whole code is right."
    )
    confident_digits: int | None = Field(
        default=None, description="How many digits hold with a probability of at least one half."
    )
    alternatives: list[AlternativeOutput] = Field(default=[])
    hierarchy: list[LevelOutput] = Field(default=[])
    gri_applied: list[str] = Field(default=[], description="General Rules of Interpretation, such as `3(b)`.")
    rulings: list[RulingOutput] = Field(default=[])
    duty: ResultDuty | None = None
    units: list[str] = Field(default=[])
    schedule_revision: str = Field(default="", description="The revision that the code is a line of.")
    missing_information: list[str] = Field(default=[], description="Questions whose answers could decide.")
    needs_review: bool = False


class _UsCode(Stored):
    hts_code: str = Field(pattern=r"^(\d{8}|\d{10})$", description="10 digits; 8 where the line has no suffix.")
    hts_description: str = Field(description="The path in words, so that “Other” never stands alone.")


class _EuCode(Stored):
    cn_code: str = Field(pattern=r"^\d{8}$")
    cn_description: str = Field(description="The path in words, so that “Other” never stands alone.")


class UsResult(Result, _UsCode):
    """A result under US-HTS."""


class EuResult(Result, _EuCode):
    """A result under EU-CN."""


def result_of(schedule: ScheduleName, document: dict[str, object]) -> UsResult | EuResult:
    """The wire shape of a stored result."""
    shape = UsResult if schedule is ScheduleName.US_HTS else EuResult
    return shape.model_validate(document)
