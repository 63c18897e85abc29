"""A classification: pending -> processing -> completed | failed, and the last two are final.

The trap: two workers with the same classification; each claim has a number and only the latest may finish it."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pcs.base.errors import RefusalError
from pcs.base.tasks import ANALYSIS, SIMULATION, Task
from pcs.base.tenancy import Environment, Tenant
from pcs.engine.decided import Decided
from pcs.engine.determination import Determination, Step
from pcs.engine.filed.comparison import Comparison
from pcs.engine.product import Product
from pcs.engine.result import Result
from pcs.products.model import ProductFields
from pcs.promises.model import ReviewTerms
from pcs.reviews.model import Review
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName, publication_of

ANALYSE = Task("classifications.analyse", ANALYSIS)
SIMULATE = Task("classifications.simulate", SIMULATION)
TASKS = {Environment.LIVE: ANALYSE, Environment.TEST: SIMULATE}
"""The sandbox waits in a queue of its own, so that what it simulates holds up nobody's real analysis."""

SIMULATIONS_AT_ONCE = 50
"""In a worker: they only wait."""
MAX_ATTEMPTS = 5
"""Claims of one classification, whether they ended in an exception or in the death of a worker."""

Analyse = Callable[[Product, ScheduleName, Sequence[Decided]], Determination]
"""The seam to the engine: what a worker calls, off its event loop. Whose goods they are, and from which confidence on
they need no review, is the worker's to know."""


class Status(StrEnum):
    """Where a classification stands."""

    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"

    @property
    def is_final(self) -> bool:
        """Whether nothing changes any more."""
        return self in {Status.COMPLETED, Status.FAILED}


OPEN = (Status.PENDING, Status.PROCESSING)


class FailureCode(StrEnum):
    """Why a classification failed."""

    CLASSIFICATION_ERROR = "CLASSIFICATION_ERROR"
    INSUFFICIENT_INFORMATION = "INSUFFICIENT_INFORMATION"
    CLASSIFICATION_TIMEOUT = "CLASSIFICATION_TIMEOUT"
    CANCELLED = "CANCELLED"


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure as the customer reads it."""

    code: FailureCode
    message: str


class NotPendingError(RefusalError):
    """Only what nobody has begun can be cancelled."""


class NotAnswerableError(RefusalError):
    """Only a result that has questions, and that nothing has superseded, can be answered."""


@dataclass(frozen=True, slots=True)
class ClassificationOptions:
    """How products are to be classified: under which schedules, and who else is told. With `metadata` the
    classifications carry this and not their product's."""

    schedules: tuple[ScheduleName, ...]
    webhook_url: str | None = None
    batch_id: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)

    def in_batch(self, batch_id: str) -> ClassificationOptions:
        """The same for the classifications of a batch."""
        return dataclasses.replace(self, batch_id=batch_id)


class DecidedBy(StrEnum):
    """Who decided what goods are declared under."""

    ENGINE = "engine"
    PRECEDENT = "precedent"
    PERSON = "person"
    REVIEWER = "reviewer"


@dataclass(frozen=True, slots=True)
class Final:
    """What goods are declared under: a line of a revision and its official words.

    `decided_by_name` is the key or the member, for a reviewer its model; None for the engine. `description` is empty
    where a person decided before the service kept it.
    """

    code: Code
    description: str
    decided_by: DecidedBy
    decided_at: dt.datetime
    revision: str
    decided_by_name: str | None = None
    reason: str | None = None

    @property
    def description_language(self) -> str:
        """The language of its official words, ISO 639-1: that of the revision."""
        return publication_of(self.revision)[1]


@dataclass(frozen=True, slots=True)
class Variant:
    """Goods that differ from others in size, colour or number alone and got another code: the classification's or
    decision's id. `fact` is what decides that, in words; None where nothing is known to."""

    id: str
    name: str
    code: Code
    fact: str | None


@dataclass(frozen=True, slots=True)
class Consistency:
    """The variants of other codes, one a code; they agree where a fact or people decided each."""

    variants: tuple[Variant, ...]
    agrees: bool


@dataclass(frozen=True, slots=True)
class Classification:
    """One product under one schedule. `goods` is the product as it was when accepted.

    `final` is what the goods are declared under, None while nothing is decided; `result` is never rewritten.
    `processing_time_ms` is the successful analysis's; `reviewer` is the
    record of a language model's assessment, where one was asked (`review` is a person's). `filed` is how the
    declared code stands beside the one found. `asked_by_chance` says that it waits for a person, or was decided by one,
    because it was drawn for the organization's promise. `inconsistent` says that variants of the goods got other codes
    that nothing explains; `consistency` tells which, where it was asked for. `assigned_to` is the e-mail address of
    the member who is to review it.
    """

    id: str
    tenant: Tenant
    product_id: str
    schedule: ScheduleName
    status: Status
    goods: ProductFields
    created_at: dt.datetime
    batch_id: str | None = None
    webhook_url: str | None = None
    started_at: dt.datetime | None = None
    completed_at: dt.datetime | None = None
    processing_time_ms: int | None = None
    result: Result | None = None
    failure: Failure | None = None
    review: Review | None = None
    reviewer: dict[str, Any] | None = None
    filed: Comparison | None = None
    final: Final | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    asked_by_chance: bool = False
    variant_key: bytes | None = None
    inconsistent: bool = False
    consistency: Consistency | None = None
    assigned_to: str | None = None


def history_of(before: Classification, after: Classification) -> str:
    """A review as the audit log tells it: what was said, what the final code was and is, and why."""
    assert after.review is not None
    why = f": {after.review.note}" if after.review.note else ""
    if not after.review.stands:
        code = f" to {Code(after.review.code).dotted}" if after.review.code else ""
        return f"proposed: {after.review.decision}{code}{why}"
    was, now = (one.final.code.dotted if one.final else "no code" for one in (before, after))
    return f"{after.review.decision}, {was if was == now else f'{was} to {now}'}{why}"


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to finish a classification, until somebody claims it anew; by `terms` its answer needs review or not.
    `decided` is what the organization has decided of such goods. `job` carries it, which was `taken` beside another's
    where it waited behind that."""

    classification: Classification
    attempt: int
    job: int | None = None
    taken: bool = False
    terms: ReviewTerms = ReviewTerms()  # noqa: RUF009 - frozen
    decided: tuple[Decided, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an analysis ended: a result or a failure, what it took, and how it went."""

    processing_time_ms: int
    result: Result | None = None
    failure: Failure | None = None
    steps: tuple[Step, ...] | None = None
    reviewer: dict[str, Any] | None = None
    filed: Comparison | None = None
    asked_by_chance: bool = False
