"""The engine's answer and how it was reached. The trap: an answer must be able to say "I do not know" as plainly as it
names a code, so a determination without a result says why there is none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from pcs.base.languages import told
from pcs.engine.reading.understood import Understood
from pcs.engine.result import Result
from pcs.tariff.code import Code
from pcs.tariff.revision import Revision
from pcs.tariff.starter.lexicon.rows import READ


class Reason(StrEnum):
    """Why no code could be given."""

    INSUFFICIENT_INFORMATION = "INSUFFICIENT_INFORMATION"


@dataclass(frozen=True, slots=True)
class Undetermined:
    """Goods that got no code: why, in a sentence too, the questions whose answers would help, and what was
    understood."""

    reason: Reason
    reasoning: str
    missing_information: tuple[str, ...] = ()
    reading: Understood = Understood()  # noqa: RUF009 - frozen


def nothing_said(reading: Understood) -> Undetermined:
    """Nothing says what the goods are."""
    return Undetermined(
        Reason.INSUFFICIENT_INFORMATION,
        "Nothing in the product's name or description says what the goods are. Add what the product is, what it is "
        "made of and what it is used for.",
        ("What is the product?", "What is it made of?", "What is it used for?"),
        reading,
    )


def not_read(language: str, reading: Understood) -> Undetermined:
    """The goods are described in a language that is not read, such as "Turkish"."""
    return Undetermined(
        Reason.INSUFFICIENT_INFORMATION,
        f"The product seems to be described in {language}, which is not read. The languages that are read are "
        f"{told(READ)}.",
        ("What is the product, in one of these languages?",),
        reading,
    )


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the analysis: what was done and found. `milliseconds` is its duration, not part of equality of
    answers."""

    name: str
    outcome: str
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Determination:
    """The engine's answer on one product under one revision: a result, or why there is none."""

    revision: Revision
    answer: Result | Undetermined
    steps: tuple[Step, ...] = ()

    def judged(self, review_below: float, digits: int | None = None) -> Self:
        """The same where digits are reliable at this probability, 0 to 1, and review is needed below it, looking at so
        many digits or at the whole code."""
        return self if self.result is None else replace(self, answer=self.result.judged(review_below, digits))

    @property
    def result(self) -> Result | None:
        """The result; None where no code could be given."""
        return self.answer if isinstance(self.answer, Result) else None

    @property
    def is_repeated(self) -> bool:
        """Whether the code is the organization's own decision on the same goods, which nobody need assess."""
        return self.result is not None and self.result.decision is not None

    @property
    def code(self) -> Code | None:
        """The result's code; None where none could be given."""
        return None if self.result is None else self.result.code
