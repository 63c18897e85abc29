"""A promise on the wire. The trap: a threshold shown as if it were one; how many reviews bear it, and how many
are still missing, stand beside it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from pcs.promises.model import (
    DIGITS,
    FEWEST_RIGHT,
    LEAST_SHARE,
    MOST_RIGHT,
    USUAL_SHARE,
    BrokenPromise,
    PromiseReport,
    ThresholdOfSchedule,
)
from pcs.tariff.revision import ScheduleName
from pcs.wire.base import Answer, Timestamp, Wire

_Right = Annotated[float, Field(strict=False, ge=FEWEST_RIGHT, le=MOST_RIGHT)]
_Asked = Annotated[float, Field(strict=False, ge=LEAST_SHARE, le=1)]


class PromiseInput(Wire):
    """What is promised of the answers that nobody looks at."""

    right: _Right = Field(default=0.95, description="The share of them that is right.")
    digits: int = Field(
        default=6, json_schema_extra={"enum": list(DIGITS)}, description="To so many digits; a shorter code whole."
    )
    asked_share: _Asked = Field(
        default=USUAL_SHARE,
        description="The share of answers, drawn by chance, that a person is asked about however sure they are.",
    )


class BrokenPromiseOutput(Answer):
    """That reviews ended a threshold."""

    at: Timestamp
    threshold: float
    reviewed: int = Field(description="Answers at that threshold or surer that were reviewed.")
    right: int

    @classmethod
    def of(cls, broken: BrokenPromise) -> BrokenPromiseOutput:
        """The wire shape."""
        return cls(at=broken.at, threshold=broken.threshold, reviewed=broken.reviewed, right=broken.right)


class PromiseThreshold(Answer):
    """What the reviews under one schedule bear."""

    schedule: ScheduleName
    threshold: float | None = Field(
        description="Answers at least so probable at the promised digits are taken; null: `review_below` decides."
    )
    share: float = Field(description="The share of the reviewed answers that reaches it.")
    reviewed: int = Field(description="Answers drawn by chance that a person has reviewed; the newest 2,000 count.")
    to_review: int = Field(description="Answers drawn by chance that wait for a person.")
    missing: int | None = Field(
        description="How many reviews more would do, were they like those so far; null with a threshold, and where no "
        "number would."
    )
    computed_at: Timestamp | None
    broken: BrokenPromiseOutput | None = Field(description="The last time that reviews ended a threshold.")

    @classmethod
    def of(cls, one: ThresholdOfSchedule) -> PromiseThreshold:
        """The wire shape."""
        return cls(
            schedule=one.schedule,
            threshold=one.kept.threshold,
            share=one.kept.share,
            reviewed=one.kept.reviewed,
            to_review=one.to_review,
            missing=one.kept.missing,
            computed_at=one.computed_at,
            broken=None if one.broken is None else BrokenPromiseOutput.of(one.broken),
        )


class PromiseOutput(Answer):
    """What is promised of the answers that nobody looks at, and what reviews bear of it."""

    right: float
    digits: int
    certainty: float = Field(description="With which it is said.")
    asked_share: float
    schedules: list[PromiseThreshold]

    @classmethod
    def of(cls, report: PromiseReport) -> PromiseOutput:
        """The wire shape."""
        promise = report.terms.promise
        return cls(
            right=promise.right,
            digits=promise.digits,
            certainty=promise.certainty,
            asked_share=report.terms.asked_share,
            schedules=[PromiseThreshold.of(one) for one in report.schedules],
        )
