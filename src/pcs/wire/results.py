"""The result of a classification on the wire: the names that each schedule's clients know.

The trap: a second place that knows what a result holds; these shapes read the engine's result by its own names, and
only here have a code and its description the name of a schedule."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, Union, cast

from pydantic import BeforeValidator, ConfigDict, Field, create_model

from pcs.engine.decided import Standing
from pcs.engine.result import Result
from pcs.tariff.profiles.profile import Profile
from pcs.tariff.revision import ScheduleName
from pcs.wire.base import Answer

T = TypeVar("T", bound="Part")
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
    description_language: str | None = Field(default=None, description="Only where it is not that of the answer.")
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


class PrecedentOutput(Part):
    """A decision of the organization on the same goods, or on goods near."""

    decision: str = Field(validation_alias="reference", description="Its id, such as `dec_…`.")
    code: str
    name: str = Field(validation_alias="goods", description="What the goods are called that it was made for.")
    decided_at: dt.date | None = Field(default=None)
    nearness: float = Field(description="How near those goods are, 0 to 1; 1 for the same.")
    standing: Standing = Field(description="Whether its line is in the loaded revision, with the same words.")
    applied: bool = Field(description="Whether it counted for this code; one that is not in force never does.")
    by_model: bool = Field(default=False, description="Whether a language model decided it, and no person.")


class DutyOutput(Part):
    """Rates of duty in the publisher's words; null where the loaded schedule has none."""

    general: Rate
    special: Rate
    other: Rate


class SpecialRateOutput(Part):
    """A rate under a special programme, in the publisher's words."""

    programme: str = Field(description="Its symbol, such as `S`.")
    name: str
    rate: str
    countries: list[str] = Field(description="ISO 3166-1 alpha-2; empty where the note has to be read.")
    note: str = Field(description="Where the law lists its countries.")


class AdditionalDutyOutput(Part):
    """A provision that a footnote of the line points to. A pointer: nothing is added up."""

    provision: str = Field(description="Its number, or a range of them.")
    text: str = Field(description="Its words, as published.")
    rate: Rate = Field(description="Its rate, as published; null where it gives none.")
    why: str = Field(description="Why it is told: `May apply` where more must be known.")
    source: str = Field(description="The revision, and the footnote as published.")


class QuestionOutput(Part):
    """A fact that was not said and could change the code."""

    id: str
    text: str
    options: list[str] = Field(description="What decides; another answer is given as text.")
    slot: str = Field(description="The part or the measure that it asks about, such as `outer`.")
    attribute: str = Field(description="The product's attribute that an answer is kept as.")


class AnalysisStep(Part):
    """One step of the analysis."""

    name: str
    outcome: str
    milliseconds: float


class MadeOfOutput(Part):
    """A material that was read, and what is of it."""

    part: str = Field(description="Empty for the goods themselves, otherwise such as `lining`.")
    material: str
    share: float | None = Field(description="In percent; null where none was said.")


class MeasureOutput(Part):
    """A quantity that was read."""

    what: str = Field(description="What is measured, such as `width`.")
    value: str = Field(description="How much, as it was said.")


class ReadingOutput(Part):
    """What was understood of a product before it was classified."""

    goods: str = Field(default="", description="What the goods are called.")
    made_of: list[MadeOfOutput] = Field(default=[])
    measures: list[MeasureOutput] = Field(default=[])
    denied: list[str] = Field(default=[], description="What the goods are said not to be, or not to have.")
    purpose: list[str] = Field(default=[], description="For whom or what the goods are said to be.")


class BriefResult(Part):
    """The fields of a result that the interface itself names, but for those of a schedule."""

    supporting_rulings: list[str] = Field(description="Ruling numbers, each among the loaded rulings; never invented.")
    reasoning: str


class ResultOutput(BriefResult):
    """What both schedules' results have in common."""

    confidence: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="The calibrated probability that the whole code is correct; null = not scored, such as a line "
        "that a language model chose before enough of its choices were counted.",
    )
    confident_digits: int | None = Field(
        default=None, description="How many digits are as probable as the threshold below which review is needed."
    )
    likely_headings: list[str] = Field(
        default=[], description="The headings among which the right one is in about nine of ten cases, likeliest first."
    )
    likely_subheadings: list[str] = Field(
        default=[], description="The same of the first six digits, in about eight of ten cases."
    )
    alternatives: list[AlternativeOutput] = Field(default=[])
    hierarchy: list[LevelOutput] = Field(default=[])
    gri_applied: list[str] = Field(default=[], description="General Rules of Interpretation, such as `3(b)`.")
    rulings: list[RulingOutput] = Field(default=[])
    duty: DutyOutput | None = None
    duty_column: int | None = Field(
        default=None,
        description="The column of duties that the country of origin pays; null = not known, or no columns.",
    )
    special_rates: list[SpecialRateOutput] = Field(
        default=[], description="Without those of programmes of other countries than the country of origin."
    )
    additional_duties: list[AdditionalDutyOutput] = Field(
        default=[],
        description="Provisions that the line's footnotes point to, without those of other countries or days of entry.",
    )
    units: list[str] = Field(default=[])
    schedule_revision: str = Field(default="", description="The revision that the code is a line of.")
    hs_edition: str = Field(default="2022", description="The edition of the Harmonized System the revision is made on.")
    missing_information: list[str] = Field(default=[], description="Questions whose answers could change the code.")
    questions: list[QuestionOutput] = Field(
        default=[], description="The same with their options, to be answered at the classification's `/answers`."
    )
    needs_review: bool = Field(
        default=False, description="Whether a person should look: the confidence is below the organization's threshold."
    )
    language: str = Field(default="en", description="The language the product was described in, ISO 639-1.")
    description_language: str = Field(
        default="en", description="The language of the official words: description, hierarchy, alternatives; ISO 639-1."
    )
    decision: str | None = Field(
        default=None, description="Your organization's own decision on the same goods, which the code repeats."
    )
    precedents: list[PrecedentOutput] = Field(
        default=[], description="Your organization's decisions on the same goods and on goods near that were looked at."
    )
    reading: ReadingOutput = Field(
        default_factory=ReadingOutput, description="What was understood of the product, in English."
    )


_WORDS = "The description with its path, so that “Other” never stands alone."


def _code_part(profile: Profile) -> type[Part]:
    """A code and its description under the names that a schedule's clients know."""
    wire = profile.wire
    code = Field(validation_alias="code", pattern=profile.code_pattern, description=wire.about_code)
    words = Field(validation_alias="description", description=_WORDS)
    fields: dict[str, Any] = {wire.code: (str, code), wire.description: (str, words)}
    return create_model(f"{wire.prefix}Code", __base__=Part, **fields)


def _shape(profile: Profile, kind: str, base: type[T], said: str) -> type[T]:
    name, doc = f"{profile.wire.prefix}{kind}", f"{said} {profile.name}{_ELSEWHERE[kind]}."
    bases: Any = (base, _PARTS[profile.name])
    made: Any = create_model(name, __base__=bases, __doc__=doc, __module__=__name__)
    return cast("type[T]", made)


_ELSEWHERE = {"Result": "", "BriefResult": "; all else is at the classification's own address"}
_PARTS = {name.value: _code_part(name.profile) for name in ScheduleName}
SHAPES = {name: _shape(name.profile, "Result", ResultOutput, "A result under") for name in ScheduleName}
_BRIEF = "What a batch's event says of a result under"
BRIEF_SHAPES = {name: _shape(name.profile, "BriefResult", BriefResult, _BRIEF) for name in ScheduleName}

if TYPE_CHECKING:
    AnyResult = ResultOutput
    AnyBriefResult = BriefResult
else:
    AnyResult = Union[tuple(SHAPES.values())]  # noqa: UP007 (as many as there are schedules)
    AnyBriefResult = Union[tuple(BRIEF_SHAPES.values())]  # noqa: UP007


def result_of(schedule: ScheduleName, result: Result) -> AnyResult:
    """The wire shape of a result."""
    return SHAPES[schedule].model_validate(result)


def brief_result_of(schedule: ScheduleName, result: Result) -> AnyBriefResult:
    """The part of a result that the interface itself names."""
    return BRIEF_SHAPES[schedule].model_validate(result)
