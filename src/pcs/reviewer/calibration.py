"""How often a model was right by what it said: counted by `pcs evaluate --reviewer --calibrate`, kept as numbers in the
data folder, read when a service starts.

The trap: a number of one model, way, prompt or schedule used for another, or one of too few cases. Each is kept under
all that it was counted with, and what has fewer than 30 cases is not kept at all."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pcs.base.errors import OperatorError
from pcs.evaluation.proportion import Proportion
from pcs.reviewer.model import AssessmentLimits, Ending, Record
from pcs.reviewer.prompts import VERSION
from pcs.tariff.revision import ScheduleName

FILE = "reviewer-calibration.json"
FEWEST = 30
"""Cases of a kind of answer below which nothing is said of it."""


class Word(StrEnum):
    """What a model said of an engine's answer: agreed or chose another line, certain or not."""

    CONFIRMED = "confirmed"
    CHANGED = "changed"
    CONFIRMED_IN_DOUBT = "confirmed, not certain"
    CHANGED_IN_DOUBT = "changed, not certain"

    @classmethod
    def of(cls, ending: Ending, *, certain: bool) -> Self:
        """The word of an assessment that gave a code."""
        return cls(ending if certain else f"{ending}, not certain")


class Tally(BaseModel):
    """Of so many cases, how many answers were right to four digits, to six, and to the last."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    cases: int = Field(ge=FEWEST)
    four: int = Field(ge=0)
    six: int = Field(ge=0)
    whole: int = Field(ge=0)

    @model_validator(mode="after")
    def _require_possible(self) -> Self:
        if not self.whole <= self.six <= self.four <= self.cases:
            msg = "more right to more digits"
            raise ValueError(msg)
        return self

    def at(self, digits: int | None) -> Proportion:
        """How many were right to four digits, six, or all (None)."""
        return Proportion({4: self.four, 6: self.six, None: self.whole}[digits], self.cases)


class CountedWith(BaseModel):
    """With what was counted: any other asks other questions, or about other answers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    way: str
    prompts: str
    ask_below: float

    @classmethod
    def of(cls, limits: AssessmentLimits) -> Self:
        """Those of today's prompts."""
        return cls(model=limits.model, way=limits.way, prompts=VERSION, ask_below=limits.ask_below)


class _Counted(BaseModel):
    """What was counted on one schedule."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    terms: CountedWith
    schedule: ScheduleName
    words: dict[Word, Tally]


class _Kept(BaseModel):
    """The file."""

    model_config = ConfigDict(extra="forbid")

    calibrations: list[_Counted]


@dataclass(frozen=True, slots=True)
class Calibration:
    """What is known of one model on its terms; of most words mostly nothing."""

    tallies: Mapping[tuple[ScheduleName, Word], Tally] = field(default_factory=dict)

    def of(self, schedule: ScheduleName, word: Word) -> Tally | None:
        """How right such answers were; None where too few were counted."""
        return self.tallies.get((schedule, word))


def word_of(record: Record) -> Word | None:
    """What a model said in an assessment; None where it gave no code, or saw more of the goods than their words."""
    return None if record.ending is Ending.STOOD or record.pictures else Word.of(record.ending, certain=record.certain)


def read_calibration(folder: Path, limits: AssessmentLimits) -> Calibration:
    """What a data folder knows of a model on these terms. Raises OperatorError for a damaged file."""
    terms = CountedWith.of(limits)
    found = [one for one in _kept(folder).calibrations if one.terms == terms]
    return Calibration({(one.schedule, word): tally for one in found for word, tally in one.words.items()})


def keep_calibration(
    folder: Path, limits: AssessmentLimits, counted: Mapping[ScheduleName, Mapping[Word, Tally]]
) -> None:
    """Keep what was counted, in place of what was there on the same terms and schedule. Raises OperatorError."""
    terms, kept = CountedWith.of(limits), _kept(folder)
    new = [_Counted(terms=terms, schedule=name, words=dict(words)) for name, words in counted.items() if words]
    replaced = {(one.terms, one.schedule) for one in new}
    others: Sequence[_Counted] = [one for one in kept.calibrations if (one.terms, one.schedule) not in replaced]
    draft = folder / f"{FILE}.draft"
    draft.write_text(_Kept(calibrations=[*others, *new]).model_dump_json(indent=1) + "\n", encoding="utf-8")
    draft.replace(folder / FILE)


def _kept(folder: Path) -> _Kept:
    file = folder / FILE
    if not file.exists():
        return _Kept(calibrations=[])
    try:
        return _Kept.model_validate(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError, ValidationError) as error:
        msg = f"{file} is damaged: remove it, then count once more with `pcs evaluate --reviewer --calibrate`."
        raise OperatorError(msg) from error
