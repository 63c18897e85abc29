"""How right answers are, as far as reviews of a random share say. The trap: a share of nothing; where nothing was
reviewed it is null, and its interval is everything."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from pcs.base.tenancy import Environment
from pcs.evaluation.promise import Band
from pcs.http.access import Access, access_for, answer
from pcs.http.openapi import refusing
from pcs.organizations.model import Scope
from pcs.promises.quality import OPEN, REPEATED, REVIEWED, TAKEN, AnswersOf, Precision, ScheduleQuality, quality
from pcs.tariff.revision import ScheduleName
from pcs.wire.base import Answer

router = APIRouter(tags=["promise"])


class PrecisionOutput(Answer):
    """How many reviewed answers were right."""

    reviewed: int = Field(description="Answers drawn by chance that a person has reviewed.")
    right: int
    share: float | None = Field(description="Null where nothing was reviewed.")
    lower: float = Field(description="The share of all such answers lies between this and `upper`: 90 % certain.")
    upper: float

    @classmethod
    def of(cls, one: Precision) -> PrecisionOutput:
        """The wire shape."""
        return cls(reviewed=one.reviewed, right=one.right, share=one.share, lower=one.lower, upper=one.upper)


class ConfidenceBand(PrecisionOutput):
    """The reviewed answers whose confidence lies between `confidence` and the next band's."""

    confidence: float

    @classmethod
    def of_band(cls, one: Band) -> ConfidenceBand:
        """The wire shape."""
        share = one.right / one.reviewed
        counted = {"reviewed": one.reviewed, "right": one.right}
        return cls(confidence=one.confidence, share=share, lower=one.lower, upper=one.upper, **counted)


class QualityPart(Answer):
    """The answers of a chapter or of a month."""

    name: str = Field(description="A chapter such as `61`, or a month such as `2026-11`.")
    answers: int
    taken: int = Field(description="Answers that nobody had to look at.")
    precision: PrecisionOutput

    @classmethod
    def of(cls, one: AnswersOf) -> QualityPart:
        """The wire shape."""
        precision = PrecisionOutput.of(one.precision)
        return cls(name=one.name, answers=one.answers, taken=one.ended[TAKEN], precision=precision)


class QualityOfSchedule(Answer):
    """How right the answers under one schedule are."""

    schedule: ScheduleName
    digits: int = Field(description="An answer is right where so many digits are.")
    answers: int = Field(description="The newest 20,000 of all schedules together are counted.")
    taken: int = Field(description="Nobody had to look at them.")
    repeated: int = Field(description="An earlier decision of yours on the same goods decided them.")
    reviewed: int = Field(description="A person decided them.")
    open: int = Field(description="Nothing is decided yet.")
    missing: int | None = Field(description="How many reviews more a promise takes, as in `GET /promise`.")
    precision: PrecisionOutput
    bands: list[ConfidenceBand] = Field(description="By confidence, the least first; none without reviews.")
    chapters: list[QualityPart]
    months: list[QualityPart]
    with_decisions: PrecisionOutput = Field(description="Answers that your decisions on goods near spoke for.")
    without_decisions: PrecisionOutput

    @classmethod
    def of(cls, one: ScheduleQuality) -> QualityOfSchedule:
        """The wire shape."""
        return cls(
            schedule=one.schedule,
            digits=one.digits,
            answers=one.answers,
            taken=one.ended[TAKEN],
            repeated=one.ended[REPEATED],
            reviewed=one.ended[REVIEWED],
            open=one.ended[OPEN],
            missing=one.kept.missing,
            precision=PrecisionOutput.of(one.precision),
            bands=[ConfidenceBand.of_band(band) for band in one.bands],
            chapters=[QualityPart.of(part) for part in one.chapters],
            months=[QualityPart.of(part) for part in one.months],
            with_decisions=PrecisionOutput.of(one.with_decisions),
            without_decisions=PrecisionOutput.of(one.without_decisions),
        )


class QualityOutput(Answer):
    """How right answers are, under each schedule."""

    environment: Environment
    schedules: list[QualityOfSchedule]


@router.get("/quality", response_model=QualityOutput, responses=refusing())
async def get_quality(access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)]) -> Response:
    """Show how right answers are by confidence, chapter and month, by reviews of the answers drawn by chance."""
    async with access.read() as transaction:
        found = await quality(transaction, access.tenant)
    schedules = [QualityOfSchedule.of(one) for one in found.schedules]
    return answer(QualityOutput(environment=access.tenant.environment, schedules=schedules))
