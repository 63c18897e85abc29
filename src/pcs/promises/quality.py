"""How right a tenant's answers are, as far as the reviews of a random share say: by confidence, chapter and month.

The trap: a share without its interval; of three reviews all right nobody knows whether half or all answers are, so each
share stands with the ends between which it lies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pcs.base.database import Transaction
from pcs.base.tenancy import Tenant
from pcs.evaluation.promise import Band, Kept, Promise, bands, interval
from pcs.promises import quality_store, store
from pcs.promises import service as promises
from pcs.promises.model import Evidence, PromiseReport
from pcs.tariff.revision import ScheduleName

EDGES = (0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Where bands of confidence begin."""
TAKEN, REPEATED, REVIEWED, OPEN = "taken", "repeated", "reviewed", "open"
"""How an answer came to its end: without a look, by an earlier decision, by a person's review, or not yet."""


@dataclass(frozen=True, slots=True)
class Precision:
    """Of `reviewed` answers `right` were; the share lies between `lower` and `upper` with a certainty of 90 %."""

    reviewed: int
    right: int
    lower: float
    upper: float

    @classmethod
    def of(cls, rights: Iterable[bool]) -> Precision:
        """Counted, by Clopper and Pearson."""
        said = list(rights)
        return cls(len(said), sum(said), *(interval(sum(said), len(said)) if said else (0.0, 1.0)))

    @property
    def share(self) -> float | None:
        """The share that is right; None where nothing was reviewed."""
        return self.right / self.reviewed if self.reviewed else None


@dataclass(frozen=True, slots=True)
class AnswersOf:
    """The answers of a chapter (`61`) or of a month (`2026-11`): how many, how they ended, and how right they are."""

    name: str
    ended: Counter[str]
    precision: Precision

    @property
    def answers(self) -> int:
        """All of them."""
        return self.ended.total()


@dataclass(frozen=True, slots=True)
class ScheduleQuality:
    """How right the answers under a schedule are at so many `digits`. `with_decisions` are those that decisions on near
    goods spoke for, `without_decisions` the others."""

    schedule: ScheduleName
    digits: int
    ended: Counter[str]
    kept: Kept
    precision: Precision
    bands: tuple[Band, ...]
    chapters: tuple[AnswersOf, ...]
    months: tuple[AnswersOf, ...]
    with_decisions: Precision
    without_decisions: Precision

    @property
    def answers(self) -> int:
        """All of them."""
        return self.ended.total()

    def share_of(self, ending: str) -> float:
        """The share of the answers that ended so."""
        return self.ended[ending] / self.answers if self.answers else 0.0


@dataclass(frozen=True, slots=True)
class Quality:
    """What is known of a tenant's newest answers; `promise` is None where nothing is promised, and nothing drawn."""

    promise: PromiseReport | None
    schedules: tuple[ScheduleQuality, ...]


async def quality(transaction: Transaction, tenant: Tenant) -> Quality:
    """What is known of a tenant's newest answers, under each schedule."""
    report = await promises.find(transaction, tenant)
    counted = await quality_store.endings(transaction, tenant)
    found = []
    for name in ScheduleName:
        said = await store.evidence(transaction, tenant, name)
        rows = [row for row in counted if row.schedule == name]
        found.append(_of_schedule(name, report, rows, said))
    return Quality(report, tuple(found))


def _of_schedule(
    name: ScheduleName,
    report: PromiseReport | None,
    rows: Sequence[quality_store.EndingCount],
    said: Sequence[Evidence],
) -> ScheduleQuality:
    promise = report.terms.promise if report else Promise()
    borne = next((one.kept for one in report.schedules if one.schedule is name), None) if report else None
    scored = [(one, found) for one in said if (found := one.at(promise.digits)) is not None]
    rights = [(one, found.right) for one, found in scored]
    return ScheduleQuality(
        schedule=name,
        digits=promise.digits,
        ended=_ended(rows),
        kept=borne or Kept(0, missing=promise.fewest),
        precision=Precision.of(right for _, right in rights),
        bands=tuple(bands([found for _, found in scored], EDGES)),
        chapters=_parts(rows, rights, lambda row: row.chapter, lambda one: one.code[:2]),
        months=_parts(rows, rights, lambda row: row.month, lambda one: f"{one.completed_on:%Y-%m}"),
        with_decisions=Precision.of(right for one, right in rights if one.has_near_decisions),
        without_decisions=Precision.of(right for one, right in rights if not one.has_near_decisions),
    )


def _parts(
    rows: Sequence[quality_store.EndingCount],
    rights: Sequence[tuple[Evidence, bool]],
    of_row: Callable[[quality_store.EndingCount], str],
    of_review: Callable[[Evidence], str],
) -> tuple[AnswersOf, ...]:
    """Each part that has answers, in the order of its name."""
    names = sorted({of_row(row) for row in rows})
    return tuple(
        AnswersOf(
            one,
            _ended(row for row in rows if of_row(row) == one),
            Precision.of(right for said, right in rights if of_review(said) == one),
        )
        for one in names
    )


def _ended(rows: Iterable[quality_store.EndingCount]) -> Counter[str]:
    ended = Counter[str]({TAKEN: 0, REPEATED: 0, REVIEWED: 0, OPEN: 0})
    for row in rows:
        ended[row.ending] += row.number
    return ended
