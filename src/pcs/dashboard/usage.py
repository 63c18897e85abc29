"""Usage by day. The trap: a day without anything is a day too; it is drawn as nothing, not left out."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from starlette.responses import Response

from pcs.base.tenancy import Environment
from pcs.dashboard.charts import Column, daily_chart
from pcs.dashboard.visit import Visit, page
from pcs.lists import activity
from pcs.lists.activity import Day
from pcs.organizations import service as organizations
from pcs.reviewer import service as reviewer
from pcs.tariff.revision import ScheduleName

_PERIODS = (7, 30, 90)


async def show(visit: Visit) -> Response:
    """Charts and their numbers."""
    asked = visit.asked("days")
    period = int(asked) if asked in {str(days) for days in _PERIODS} else 30
    first = visit.now.date() - dt.timedelta(days=period - 1)
    async with visit.service.database.begin() as transaction:
        days = await activity.days(transaction, visit.tenant, first=first, last=visit.now.date())
        limit = visit.signed_in.organization.credit_limit if visit.environment is Environment.LIVE else None
        spent = await organizations.credits_spent(transaction, visit.tenant) if limit is not None else None
        assessed = await reviewer.spending(transaction, visit.tenant, first=first, last=visit.now.date())
    columns = columns_of(days, first, visit.now.date())
    return visit.render(
        "usage.html",
        period=period,
        periods=_PERIODS,
        columns=columns,
        chart=daily_chart(columns),
        by_schedule={name: _totals(days, name) for name in ScheduleName},
        spent=spent,
        limit=limit,
        assessed=assessed,
        currency=visit.service.settings.reviewer_currency,
    )


def columns_of(days: Sequence[Day], first: dt.date, last: dt.date) -> list[Column]:
    """One column for each day from the first to the last."""
    by_date: dict[dt.date, list[Day]] = {}
    for day in days:
        by_date.setdefault(day.date, []).append(day)
    dates = [first + dt.timedelta(days=number) for number in range((last - first).days + 1)]
    return [_column(date, by_date.get(date, [])) for date in dates]


def _column(date: dt.date, days: Sequence[Day]) -> Column:
    completed, failed = sum(day.completed for day in days), sum(day.failed for day in days)
    return Column(date, completed, failed, sum(day.accepted for day in days) - completed - failed)


def _totals(days: Sequence[Day], schedule: ScheduleName) -> tuple[int, int, int]:
    """Accepted, completed and failed under a schedule."""
    own = [day for day in days if day.schedule is schedule]
    return sum(day.accepted for day in own), sum(day.completed for day in own), sum(day.failed for day in own)


ROUTES = (page("/dashboard/{environment:environment}/usage", show),)
