"""The first page: what is under way, how it goes, what wants attention. The trap: numbers over all time, which say
nothing about today; here they are of the last seven days."""

from __future__ import annotations

import asyncio
import datetime as dt

from starlette.responses import Response

from pcs.classifications import comparisons
from pcs.dashboard.charts import daily_chart
from pcs.dashboard.usage import columns_of
from pcs.dashboard.visit import Visit, page
from pcs.lists import activity
from pcs.lists import service as lists
from pcs.lists.model import Wanted
from pcs.organizations import service as organizations
from pcs.promises import service as promises
from pcs.promises.model import PromiseReport
from pcs.promises.words import broken_words, threshold_words
from pcs.schedules.damage import damages
from pcs.webhooks import history

_DAYS = 7


async def show(visit: Visit) -> Response:
    """The overview."""
    since, today = visit.now - dt.timedelta(days=_DAYS), visit.now.date()
    first = today - dt.timedelta(days=_DAYS - 1)
    async with visit.service.database.begin() as transaction:
        pulse = await activity.pulse(transaction, visit.tenant, since=since)
        latest = await lists.page(transaction, visit.tenant, Wanted(limit=8))
        for_review = await lists.waiting_for_review(transaction, visit.tenant)
        days = await activity.days(transaction, visit.tenant, first=first, last=today)
        failing = await history.count_failed(transaction, visit.tenant, since=since)
        promise = await promises.find(transaction, visit.tenant)
        outdated = await comparisons.to_settle(transaction, visit.tenant)
        keys = await organizations.list_keys(transaction, visit.tenant.organization_id)
    damaged = await asyncio.to_thread(damages, visit.service.settings.data_dir)
    return visit.render(
        "overview.html",
        damaged=damaged.values(),
        outdated=outdated,
        broken=_lately_broken(promise, since),
        pulse=pulse,
        latest=latest.items,
        for_review=for_review,
        failing=failing,
        chart=daily_chart(columns_of(days, first, today), height=180),
        has_key=any(key.tenant == visit.tenant and key.refusal(visit.now) is None for key in keys),
    )


def _lately_broken(promise: PromiseReport | None, since: dt.datetime) -> list[tuple[str, str]]:
    """Each schedule under which reviews ended a threshold since then, or after which none holds yet, and what is so."""
    return [
        (one.schedule, f"{broken_words(one.broken)} {threshold_words(one)}")
        for one in (promise.schedules if promise else ())
        if one.broken is not None and (one.broken.at >= since or one.kept.threshold is None)
    ]


ROUTES = (page("/dashboard/{environment:environment}", show),)
