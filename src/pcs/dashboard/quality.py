"""How right answers are, as far as the reviews of a random share say. The trap: a chart of few reviews that looks sure;
each column has the span in which the true share lies, and where there are none the page says how many are missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup
from starlette.responses import Response

from pcs.dashboard.charts import ShareBar, share_chart
from pcs.dashboard.visit import Visit, page
from pcs.engine.result import percent
from pcs.evaluation.promise import Band
from pcs.promises.quality import EDGES, OPEN, REPEATED, REVIEWED, TAKEN, AnswersOf, ScheduleQuality, quality
from pcs.promises.words import broken_words, promise_words, threshold_words

_ENDINGS = (
    (TAKEN, "Decided without a look"),
    (REPEATED, "Decided as before"),
    (REVIEWED, "Decided by a person"),
    (OPEN, "Not decided yet"),
)


@dataclass(frozen=True, slots=True)
class _Shown:
    """The answers under one schedule as the page shows them: charts, and the rows of the tables beside them."""

    own: ScheduleQuality
    by_confidence: Markup
    over_time: Markup
    bands: Sequence[ShareBar]
    chapters: Sequence[AnswersOf]

    @classmethod
    def of(cls, own: ScheduleQuality, goal: float | None) -> _Shown:
        """The chapters with most answers first."""
        found = [_band(band) for band in own.bands]
        months = [_month(one) for one in own.months if one.precision.reviewed]
        return cls(
            own=own,
            by_confidence=share_chart(found, f"How often right, by confidence: {own.schedule}", goal=goal),
            over_time=share_chart(months, f"How often right, by month: {own.schedule}", goal=goal),
            bands=found,
            chapters=sorted(own.chapters, key=lambda one: -one.answers),
        )


async def show(visit: Visit) -> Response:
    """The figures of each schedule, with its chart and its tables."""
    async with visit.service.database.begin() as transaction:
        found = await quality(transaction, visit.tenant)
    promise = found.promise
    goal = promise.terms.promise.right if promise else None
    return visit.render(
        "quality.html",
        promised=promise_words(promise.terms) if promise else "",
        asked_share=promise.terms.asked_share if promise else None,
        standing=[
            (one, threshold_words(one), broken_words(one.broken) if one.broken else "") for one in promise.schedules
        ]
        if promise
        else [],
        shown=[_Shown.of(one, goal) for one in found.schedules if one.answers or one.precision.reviewed],
        missing=max((one.kept.missing or 0 for one in found.schedules), default=0),
        endings=_ENDINGS,
    )


def _band(band: Band) -> ShareBar:
    place = EDGES.index(band.confidence)
    upper = EDGES[place + 1] if place + 1 < len(EDGES) else 1.0
    label = f"{band.confidence * 100:g}-{upper * 100:g} %"
    return _bar(label, band.right, band.reviewed, (band.lower, band.upper))


def _month(one: AnswersOf) -> ShareBar:
    said = one.precision
    return _bar(one.name, said.right, said.reviewed, (said.lower, said.upper))


def _bar(label: str, right: int, reviewed: int, ends: tuple[float, float]) -> ShareBar:
    lower, upper = ends
    words = f"{label}: {right:,} of {reviewed:,} right; in truth {percent(lower)} to {percent(upper)}"
    return ShareBar(label, right / reviewed, lower, upper, words)


ROUTES = (page("/dashboard/{environment:environment}/quality", show),)
