"""The result of a classification on the wire: the names that each schedule's clients know.

The trap: a second place that knows what a result holds; these shapes read the engine's result by its own names, and
only here have a code and its description the name of a schedule."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field

from pcs.engine.result import Result
from pcs.tariff.revision import ScheduleName
from pcs.wire.base import Answer

Rate = Annotated[str | None, BeforeValidator(lambda rate: rate or None)]


class Part(Answer):
    """A part of a result, read from the engine's by the names of its fields."""

    model_config = ConfigDict(
        strict=False, extra="ignore", from_attributes=True, json_schema_extra=None
    )  # null has a meaning here


class LevelOutput(Part):
    """One level of the path through the schedule, from the top."""

    code: str | None = Field(description="Null for a group that has a description but no code.")
    description: str
    confidence: float | None = Field(
        description="The probability that the code is correct to this level; null = not scored."
    )


class AlternativeOutput(Part):
    """A code that could be correct instead."""

    code: str
    description: str
    confidence: float | None
    separated_by: str = Field(description="What distinguishes it from the answer.")


class RulingOutput(Part):
    """A ruling on similar goods, among the loaded rulings and in force."""

    id: str = Field(validation_alias="reference")
    date: dt.date | None
    url: str | None
    subject: str
    status: str
    codes: list[str]
    relevance: str | None = Field(default=None, description="Why it is cited.")


class DutyOutput(Part):
    """Rates of duty in the publisher's words; null where the loaded schedule has none."""

    general: Rate
    special: Rate
    other: Rate


class AnalysisStep(Part):
    """One step of the analysis."""

    name: str
    outcome: str
    milliseconds: float


class BriefResult(Part):
    """The fields of a result that the interface itself names, but for those of a schedule."""

    supporting_rulings: list[str] = Field(description="Ruling numbers, each among the loaded rulings; never invented.")
    reasoning: str


class ResultOutput(BriefResult):
    """What both schedules' results have in common."""

    confidence: float | None = Field(
        default=None, ge=0, le=1, description="The calibrated probability that the whole code is correct."
    )
    confident_digits: int | None = Field(
        default=None, description="How many digits are reliable, with a probability of at least one half."
    )
    alternatives: list[AlternativeOutput] = Field(default=[])
    hierarchy: list[LevelOutput] = Field(default=[])
    gri_applied: list[str] = Field(default=[], description="General Rules of Interpretation, such as `3(b)`.")
    rulings: list[RulingOutput] = Field(default=[])
    duty: DutyOutput | None = None
    units: list[str] = Field(default=[])
    schedule_revision: str = Field(default="", description="The revision that the code is a line of.")
    missing_information: list[str] = Field(default=[], description="Questions whose answers could change the code.")
    needs_review: bool = False


class _UsCode(Part):
    hts_code: str = Field(
        validation_alias="code",
        pattern=r"^(\d{8}|\d{10})$",
        description="10 digits; 8 where the line has no suffix.",
    )
    hts_description: str = Field(
        validation_alias="description", description="The description with its path, so that “Other” never stands alone."
    )


class _EuCode(Part):
    cn_code: str = Field(validation_alias="code", pattern=r"^\d{8}$")
    cn_description: str = Field(
        validation_alias="description", description="The description with its path, so that “Other” never stands alone."
    )


class UsResult(ResultOutput, _UsCode):
    """A result under US-HTS."""


class EuResult(ResultOutput, _EuCode):
    """A result under EU-CN."""


class UsBriefResult(BriefResult, _UsCode):
    """What a batch's event says of a result under US-HTS; all else is at the classification's own address."""


class EuBriefResult(BriefResult, _EuCode):
    """What a batch's event says of a result under EU-CN; all else is at the classification's own address."""


AnyResult = UsResult | EuResult
AnyBriefResult = UsBriefResult | EuBriefResult

_SHAPES: dict[ScheduleName, tuple[type[AnyResult], type[AnyBriefResult]]] = {
    ScheduleName.US_HTS: (UsResult, UsBriefResult),
    ScheduleName.EU_CN: (EuResult, EuBriefResult),
}


def result_of(schedule: ScheduleName, result: Result) -> AnyResult:
    """The wire shape of a result."""
    return _SHAPES[schedule][0].model_validate(result)


def brief_result_of(schedule: ScheduleName, result: Result) -> AnyBriefResult:
    """The part of a result that the interface itself names."""
    return _SHAPES[schedule][1].model_validate(result)
