"""The forms that a model's answers have. The trap: a field of free text is a way out for whoever wrote the product's
description; only the goods in brief are free, and they go to the model alone."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

MOST_HEADINGS = 3
"""Headings of its own that a model is asked for."""

_MOST = 12  # items of a list; more is noise


class FactName(StrEnum):
    """The facts that decide in a tariff."""

    KIND = "what the goods are"
    MATERIAL = "material"
    COMPOSITION = "share of each material"
    CONSTRUCTION = "construction of the fabric or surface (knitted, woven, coated)"
    COATING = "coating, plating, cladding or other finish"
    WORKING = "how it is worked (cast, forged, rolled, drilled, sawn, polished, assembled)"
    PROCESSING = "processing (raw, prepared, frozen, refined)"
    FUNCTION = "principal function"
    USE = "intended use"
    USER = "for whom (men, women, children, infants)"
    POWER = "how it is powered"
    FORM = "form or presentation"
    PACKING = "packing for retail sale"
    DIMENSIONS = "dimensions"
    WEIGHT = "weight"
    CAPACITY = "capacity or output"
    VALUE = "value per unit"
    PART_OF = "of what it is a part"
    SET = "what the set contains"
    HOLDS = "what it holds or is filled with"
    JOINED = "how it is joined, mounted or closed"
    CHEMISTRY = "chemical composition or purity"
    SPECIES = "species or variety"
    AGE = "new or used"
    BRAND = "brand, maker or model"


class Bearing(StrEnum):
    """What a ruling says for the goods at hand."""

    SAME = "same goods"
    SIMILAR = "similar goods"
    OTHER = "other goods"


class PartsRule(StrEnum):
    """Why goods are classified as parts, or that they are none."""

    NOT_A_PART = "not a part"
    PROVISION = "the provision itself names these parts"
    NOTE = "a section or chapter note"
    US_RULE = "Additional U.S. Rule of Interpretation 1(c)"


class Sureness(StrEnum):
    """How sure the model says it is."""

    SURE = "sure"
    DOUBTFUL = "doubtful"


class _Form(BaseModel):
    model_config = ConfigDict(extra="ignore", str_max_length=400)


class SaidFact(_Form):
    """A fact, with the product's own words for it."""

    fact: FactName
    quote: str = Field(description="The product's own words for it, copied exactly.")


class Understanding(_Form):
    """The goods as the model reads them."""

    goods: str = Field(max_length=200, description="What the goods are, in the tariff's kind of words.")
    facts: list[SaidFact] = Field(max_length=_MOST)
    headings: list[str] = Field(
        default=[],
        max_length=6,  # more than asked for are left out, not asked about again
        description="Headings of 4 digits that may cover them, best first.",
        json_schema_extra={"maxItems": MOST_HEADINGS},
    )


class Headings(_Form):
    """Which headings come into question."""

    headings: list[str] = Field(
        min_length=1, max_length=6, description="Codes of 4 digits from those shown, best first."
    )
    notes: list[str] = Field(default=[], max_length=_MOST, description="References of the notes that decided.")


class Choice(_Form):
    """Which of the numbered provisions of one level covers the goods."""

    number: int = Field(ge=1, description="The number of the provision.")
    notes: list[str] = Field(default=[], max_length=_MOST, description="References of the notes that decided.")


class WeighedRuling(_Form):
    """A ruling and what it says for the goods."""

    reference: str
    bearing: Bearing


class Weights(_Form):
    """What the rulings say."""

    rulings: list[WeighedRuling] = Field(max_length=_MOST)


class AssessmentAnswer(_Form):
    """The answer of an assessment."""

    code: str = Field(description="A declarable line of the revision that was shown: all its digits, no dots.")
    sureness: Sureness
    rulings: list[str] = Field(default=[], max_length=_MOST, description="References of shown rulings that support it.")
    notes: list[str] = Field(default=[], max_length=_MOST, description="References of shown notes that decide.")
    parts_rule: PartsRule | None = Field(
        default=None,
        description="Only where the goods are parts: the rule by which they are. Leave it out for whole goods.",
    )
    known_digits: Literal[0, 2, 4, 6, 8] | None = Field(
        default=None,
        description="Where facts in `missing` or `contradicted` decide the last digits: how many are right whatever "
        "they are; 0 where not even the chapter is. Left out where all are.",
    )
    facts: list[FactName] = Field(default=[], max_length=_MOST, description="The facts said that decided.")
    missing: list[FactName] = Field(default=[], max_length=5, description="Facts not said that would change the code.")
    contradicted: list[FactName] = Field(
        default=[], max_length=5, description="Facts that the goods' words state in ways that cannot both be true."
    )

    @model_validator(mode="after")
    def _all_known(self) -> AssessmentAnswer:
        """Digits that are known to the last are no doubt: a model that says so says nothing."""
        if self.known_digits is not None and self.known_digits >= sum(map(str.isdigit, self.code)):
            self.known_digits = None
        return self

    @property
    def is_certain(self) -> bool:
        """Whether the model doubts nothing of it, to the last digit."""
        return self.sureness is Sureness.SURE and self.known_digits is None and not self.contradicted


Form = TypeVar("Form", bound=BaseModel)


def schema_of(form: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a form, without titles and our docstrings, which say nothing more to a model."""
    schema: dict[str, Any] = _without_titles(form.model_json_schema())
    for described in (schema, *schema.get("$defs", {}).values()):
        described.pop("description", None)
    return schema


def _without_titles(value: Any) -> Any:  # noqa: ANN401 (JSON)
    if isinstance(value, dict):
        return {key: _without_titles(inner) for key, inner in value.items() if key != "title"}
    return [_without_titles(inner) for inner in value] if isinstance(value, list) else value
