"""What is found of goods: the one typed result, from the engine to storage and to every reader.

The trap: a field that a reader knows by a name of its own; here is where a field has its name, and the wire shape is
the only other place that spells it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from typing import Self

from pcs.engine.reading.understood import Understood
from pcs.tariff.additional_duties import AdditionalDuty
from pcs.tariff.code import Code
from pcs.tariff.duties import SpecialRate
from pcs.tariff.harmonized_system import hs_edition
from pcs.tariff.revision import publication_of
from pcs.tariff.schedule import Duty

MOST_ALTERNATIVES = 5
MOST_CITED = 3
REVIEW_BELOW = 0.5
"""An answer whose whole code is less probable needs review, where nobody has set another threshold: it is more likely
wrong than right."""

TOO_LITTLE = 0.10
"""An answer under this confidence says that more is to be told, not what the code is; nothing takes it unseen."""


def percent(share: float) -> str:
    """A probability as people read it; never 0 % nor, below certainty, 100 %.

    >>> percent(0.873), percent(0.999), percent(0.002), percent(1.0)
    ('87%', '99%', '<1%', '100%')
    """
    return "<1%" if share < 0.005 else f"{min(int(share * 100 + 0.5), 99 if share < 1 else 100)}%"


@dataclass(frozen=True, slots=True)
class Level:
    """One step of the path through the tree: a code (None for a group without one), its words, its probability."""

    code: Code | None
    description: str
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Alternative:
    """A line that could be right, and the fact that separates it from the answer."""

    code: Code
    description: str
    confidence: float | None
    separated_by: str


@dataclass(frozen=True, slots=True)
class CitedRuling:
    """A ruling in the corpus that is near in goods and code; `url` is None where it has no page."""

    reference: str
    date: dt.date | None
    subject: str
    codes: tuple[Code, ...]
    status: str
    url: str | None
    relevance: str | None


@dataclass(frozen=True, slots=True)
class CitedDecision:
    """A decision of the organization on the same goods, or on goods near.

    `nearness` is 0 to 1; 1 for the same goods. `applied` says that it counted for the code of the result; one whose
    line is gone or reworded never does, and `standing` says so. `by_model` says that a language model decided it.
    """

    reference: str
    code: Code
    goods: str
    decided_at: dt.date | None
    nearness: float
    standing: str
    applied: bool
    by_model: bool = False


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A fact that was not said and could change the code. `options` are what decides between its ways, `slot` is the
    part or the measure it asks about; what is said to it is kept as the product's `attribute`."""

    id: str
    text: str
    options: tuple[str, ...]
    slot: str
    attribute: str


@dataclass(frozen=True, slots=True)
class Result:
    """The line of a revision that goods fall to, and why.

    `code` is a declarable line of the revision. `confidence` is the calibrated probability, 0 to 1, that the whole
    code is right; None when not scored. `confident_digits` is the number of digits that are as probable as the
    threshold below which an answer `needs_review`. `likely_headings` and `likely_subheadings`, most probable first,
    hold the right one for about nine and eight of ten goods: conformal prediction sets. `reading` is what was
    understood of the goods. `decision` is the organization's own that the code repeats, None where the engine found it;
    `precedents` are those that were looked at. `duty` has the publisher's words, empty where the revision has none;
    `duty_column` is the one that the country of origin pays. `additional_duties` are provisions that the line's
    footnotes point to.
    """

    code: Code
    description: str
    reasoning: str
    schedule_revision: str
    hierarchy: tuple[Level, ...] = ()
    confidence: float | None = None
    confident_digits: int | None = None
    likely_headings: tuple[Code, ...] = ()
    likely_subheadings: tuple[Code, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    gri_applied: tuple[str, ...] = ()
    rulings: tuple[CitedRuling, ...] = ()
    missing_information: tuple[str, ...] = ()
    questions: tuple[OpenQuestion, ...] = ()
    needs_review: bool = False
    duty: Duty = Duty()  # noqa: RUF009 - frozen
    duty_column: int | None = None
    special_rates: tuple[SpecialRate, ...] = ()
    additional_duties: tuple[AdditionalDuty, ...] = ()
    units: tuple[str, ...] = ()
    reading: Understood = Understood()  # noqa: RUF009 - frozen
    decision: str | None = None
    precedents: tuple[CitedDecision, ...] = ()

    def judged(self, review_below: float, digits: int | None = None) -> Self:
        """The same where digits are reliable at this probability, 0 to 1, and review is needed where so many of them
        (None: the whole code) are less probable."""
        held = [len(level.code) for level in self.hierarchy if level.code and (level.confidence or 0) >= review_below]
        sure = self.confidence if digits is None else self.confidence_at(digits)
        doubtful = sure is not None and sure < review_below
        return replace(self, confident_digits=max(held, default=0), needs_review=self.needs_review or doubtful)

    def confidence_at(self, digits: int) -> float | None:
        """The probability that so many leading digits are right: that of the first level that has them, of the whole
        code where it has fewer; None where that is not scored."""
        scored = (level for level in self.hierarchy if level.code and level.confidence is not None)
        return next((level.confidence for level in scored if len(level.code or "") >= digits), self.confidence)

    @property
    def may_be_taken(self) -> bool:
        """Whether nobody has to look at it: it is not doubtful, and enough was told of the goods."""
        return not self.needs_review and (self.confidence is None or self.confidence >= TOO_LITTLE)

    @property
    def language(self) -> str:
        """The language that the goods were described in, ISO 639-1."""
        return self.reading.language

    @property
    def description_language(self) -> str:
        """The language of the official words, ISO 639-1: that of the revision."""
        return publication_of(self.schedule_revision)[1]

    @property
    def hs_edition(self) -> str:
        """The edition of the Harmonized System that the revision is made on."""
        return hs_edition(self.schedule_revision)

    @property
    def supporting_rulings(self) -> tuple[str, ...]:
        """The references of the cited rulings."""
        return tuple(ruling.reference for ruling in self.rulings)
