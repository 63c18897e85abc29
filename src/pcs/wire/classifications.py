"""Classifications on the wire: as they are accepted, polled and listed. The trap: a field that is sometimes null where
the contract says it is absent; what is not there is not sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ConfigDict, Field

from pcs.classifications.model import Classification, DecidedBy, FailureCode, Final, Status
from pcs.engine.determination import Step
from pcs.engine.filed.comparison import Agreement
from pcs.reviewer.model import Ending
from pcs.reviews.model import Decision, Review, Stage
from pcs.tariff.revision import ScheduleName
from pcs.wire.base import API_PREFIX, Answer, Timestamp
from pcs.wire.products import Goods, supplied
from pcs.wire.results import AnalysisStep, AnyResult, result_of


class Stub(Answer):
    """A classification as it is accepted."""

    id: str
    status: Status = Field(description="`pending`")
    schedule: ScheduleName
    product_identifier: str | None = None
    poll_url: str

    @classmethod
    def of(cls, one: Classification) -> Stub:
        """The wire shape of an accepted classification."""
        return cls(**stub_fields(one))


def stub_fields(one: Classification) -> dict[str, Any]:
    """What a stub says of a classification."""
    optional = {} if one.goods.identifier is None else {"product_identifier": one.goods.identifier}
    path = f"{API_PREFIX}/classifications/{one.id}"
    return {"id": one.id, "status": one.status, "schedule": one.schedule, "poll_url": path, **optional}


class ReviewerUsage(Answer):
    """What the assessment by a language model took, and how it ended."""

    model: str
    ending: Ending = Field(
        description="`stood`: the assessment gave no usable reply, and the engine's own answer was kept."
    )
    requests: int
    input_tokens: int
    output_tokens: int
    cost: float = Field(description="By the operator's prices; 0 where none are set.")
    currency: str

    @classmethod
    def of(cls, record: dict[str, Any]) -> ReviewerUsage:
        """The wire shape of an assessment's record."""
        kept = {name: record[name] for name in cls.model_fields}
        return cls(**{**kept, "ending": Ending(record["ending"]), "cost": float(record["cost"])})


class Usage(Answer):
    """What a classification took. `reviewer` is there where a language model was asked."""

    credits_consumed: int
    processing_time_ms: int
    reviewer: ReviewerUsage | None = None


class FailureOutput(Answer):
    """Why a classification failed."""

    code: FailureCode
    message: str


class ReviewOutput(Answer):
    """A person's review of the result."""

    decision: Decision
    code: str | None = Field(default=None, description="The correct code, when corrected.")
    note: str | None = None
    reviewed_by: str = Field(description="The API key or the member.")
    reviewed_at: Timestamp
    stage: Stage | None = Field(
        default=None,
        description="With four eyes: `proposed` until a second person says the same (`decided`) or sends it back.",
    )
    second_by: str | None = Field(default=None, description="Who confirmed it or sent it back, when and why.")
    second_at: Timestamp | None = None
    second_note: str | None = None


class FiledOutput(Answer):
    """How the declared code stands beside the one found."""

    model_config = ConfigDict(strict=False, extra="ignore", from_attributes=True, json_schema_extra=None)

    agreement: Agreement = Field(description="`not_compared`: no code was found to compare it with.")
    said: str = Field(description="The same in words, such as `agrees to 6 digits`.")
    code: str = Field(validation_alias="filed", description="The declared code.")
    description: str = Field(validation_alias="filed_description", description="Its words; empty where it has none.")
    reason: str
    agreeing_digits: int = Field(validation_alias="digits", description="How many leading digits both share.")
    confidence: float | None = Field(description="The probability that this is right; null = not known.")
    successors: list[str] = Field(description="The lines that have the words of one that is gone.")
    filed_duty: str = Field(description="The declared code's general rate, in the publisher's words.")
    found_duty: str
    duty_difference: float | None = Field(
        description="Found less declared, in percentage points of the value; null unless both are ad valorem."
    )
    risk: float | None = Field(description="The difference, whichever way, times the confidence.")


class VariantOutput(Answer):
    """A variant of the goods that got another code."""

    model_config = ConfigDict(strict=False, extra="ignore", from_attributes=True, json_schema_extra=None)

    id: str = Field(description="The classification, or a decision of yours.")
    name: str
    code: str
    fact: str | None = Field(description="What decides that the codes differ; null = nothing known does.")


class ConsistencyOutput(Answer):
    """Variants, which differ from the goods in size, colour or number alone, and got other codes."""

    model_config = ConfigDict(strict=False, extra="ignore", from_attributes=True, json_schema_extra=None)

    agrees: bool = Field(
        description="Whether a fact, or people, decided each of these codes; if not, both need review."
    )
    variants: list[VariantOutput] = Field(description="One for each other code.")


class FinalOutput(Answer):
    """What the goods are declared under."""

    code: str = Field(description="A line of `revision`.")
    description: str = Field(description="Its official words, heading first; empty for old corrections.")
    description_language: str = Field(description="The language of those, ISO 639-1.")
    decided_by: DecidedBy = Field(
        description="`engine`: as answered, no review needed; `person`: accepted or corrected; `reviewer`: a language "
        "model; `precedent`: an earlier decision of yours."
    )
    decided_at: Timestamp
    decided_by_name: str | None = Field(default=None, description="The API key, the member or the model.")
    reason: str | None = None
    revision: str

    @classmethod
    def of(cls, final: Final) -> FinalOutput:
        """The wire shape of a decided code."""
        who = {} if final.decided_by_name is None else {"decided_by_name": final.decided_by_name}
        why = {} if final.reason is None else {"reason": final.reason}
        return cls(
            code=final.code,
            description=final.description,
            description_language=final.description_language,
            decided_by=final.decided_by,
            decided_at=final.decided_at,
            revision=final.revision,
            **who,
            **why,
        )


class ClassificationOutput(Answer):
    """A classification. `result`, `usage` and `completed_at` come with `completed`, `error` with `failed`."""

    id: str
    status: Status
    schedule: ScheduleName
    product_id: str
    batch_id: str | None = None
    created_at: Timestamp
    completed_at: Timestamp | None = None
    product: Goods
    metadata: dict[str, str] | None = Field(default=None, description="The request's, or else the product's.")
    result: AnyResult | None = None
    usage: Usage | None = None
    error: FailureOutput | None = None
    final: FinalOutput | None = Field(description="What the goods are declared under; null while nothing is decided.")
    review: ReviewOutput | None = None
    filed: FiledOutput | None = Field(default=None, description="Where the product has a code declared.")
    consistency: ConsistencyOutput | None = Field(
        default=None, description="Where variants of the goods got other codes."
    )
    supersedes: str | None = Field(default=None, description="The classification whose questions were answered.")
    superseded_by: str | None = Field(default=None, description="The classification that took this one's place.")
    asked_by_chance: bool | None = Field(
        default=None, description="True where it was drawn for your promise: it waits for a person, however sure it is."
    )
    assigned_to: str | None = Field(default=None, description="The member who is to review it, by e-mail address.")
    steps: list[AnalysisStep] | None = Field(default=None, description="How it was analysed; with `?expand=steps`.")

    @classmethod
    def of(cls, one: Classification, steps: Sequence[Step] | None = None) -> ClassificationOutput:
        """The wire shape of a stored classification."""
        links = ("batch_id", "supersedes", "superseded_by", "assigned_to")
        optional: dict[str, Any] = {name: value for name in links if (value := getattr(one, name)) is not None}
        if one.asked_by_chance:
            optional["asked_by_chance"] = True
        if steps is not None:
            optional["steps"] = [AnalysisStep.model_validate(step) for step in steps]
        return cls(
            id=one.id,
            status=one.status,
            schedule=one.schedule,
            product_id=one.product_id,
            created_at=one.created_at,
            product=Goods.of(one.goods),
            **supplied(one.goods, "metadata"),
            **ending(one),
            **optional,
        )


def ending(one: Classification) -> dict[str, Any]:
    """How a classification ended, and what a person said of it."""
    fields: dict[str, Any] = {"final": None if one.final is None else FinalOutput.of(one.final)}
    if one.status is Status.COMPLETED and one.result is not None:
        fields["completed_at"] = one.completed_at
        fields["result"] = result_of(one.schedule, one.result)
        asked = {} if one.reviewer is None else {"reviewer": ReviewerUsage.of(one.reviewer)}
        fields["usage"] = Usage(credits_consumed=1, processing_time_ms=one.processing_time_ms or 0, **asked)
    if one.failure is not None:
        fields["error"] = FailureOutput(code=one.failure.code, message=one.failure.message)
    if one.filed is not None:
        fields["filed"] = FiledOutput.model_validate(one.filed)
    if one.consistency is not None:
        fields["consistency"] = ConsistencyOutput.model_validate(one.consistency)
    if one.review is not None:
        fields["review"] = review_of(one.review)
    return fields


def review_of(said: Review) -> ReviewOutput:
    """The wire shape of a person's word."""
    fields = ("code", "note", "second_by", "second_at", "second_note")
    optional = {name: value for name in fields if (value := getattr(said, name)) is not None}
    if said.second_by or not said.stands:
        optional["stage"] = said.stage
    return ReviewOutput(decision=said.decision, reviewed_by=said.by, reviewed_at=said.at, **optional)
