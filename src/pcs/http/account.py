"""Whose key it is, and what was spent. The trap: the sandbox's credits, which are shown and never charged, so that no
limit holds there."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from pcs.base.errors import InvalidRequestError, Violation
from pcs.base.tenancy import Environment
from pcs.http.access import Access, access_for, answer
from pcs.http.openapi import refusing
from pcs.lists import activity
from pcs.organizations import service as organizations
from pcs.organizations.model import Scope
from pcs.reviewer import service as reviewer
from pcs.reviewer.model import Spending
from pcs.tariff.revision import ScheduleName
from pcs.wire.base import Answer, Day, Timestamp

router = APIRouter(tags=["account"])

_USUAL_DAYS = 30


class OrganizationOutput(Answer):
    """The key's organization."""

    id: str
    name: str
    review_below: float = Field(description="The confidence, 0 to 1, below which a result says `needs_review`.")


class KeyOutput(Answer):
    """The key itself; the token is shown once, at its creation, and never again."""

    id: str
    name: str
    last_four: str
    scopes: list[Scope]
    created_at: Timestamp
    expires_at: Timestamp | None


class Me(Answer):
    """Who is asking."""

    organization: OrganizationOutput
    environment: Environment
    api_key: KeyOutput
    rate_limit_per_minute: int


@router.get("/me", response_model=Me, responses=refusing())
async def get_me(access: Annotated[Access, access_for(None)]) -> Response:
    """Show whose key this is, its environment and its scopes. Any key may call this."""
    async with access.read() as transaction:
        organization = await organizations.get_organization(transaction, access.tenant.organization_id)
    key = access.key
    body = Me(
        organization=OrganizationOutput(
            id=organization.id, name=organization.name, review_below=organization.threshold
        ),
        environment=access.tenant.environment,
        api_key=KeyOutput(
            id=key.id,
            name=key.name,
            last_four=key.last_four,
            scopes=sorted(key.scopes),
            created_at=key.created_at,
            expires_at=key.expires_at,
        ),
        rate_limit_per_minute=key.rate_limit or access.service.settings.rate_limit_per_minute,
    )
    return answer(body)


class UsageQuery(BaseModel):
    """Which days (UTC), both included; the last 30 where nothing is said."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)

    first: Day | None = Field(default=None, alias="from")
    last: Day | None = Field(default=None, alias="to")

    def days(self, today: dt.date) -> tuple[dt.date, dt.date]:
        """The first and the last day. Raises InvalidRequestError where they are the wrong way round."""
        last = self.last or today
        first = self.first or _earlier(last, _USUAL_DAYS - 1)
        if first > last:
            raise InvalidRequestError(Violation("from", f"must not be after {last}, the last day"))
        return first, last


def _earlier(day: dt.date, days: int) -> dt.date:
    return dt.date.fromordinal(max(1, day.toordinal() - days))


class UsageDay(Answer):
    """What was accepted on one day under one schedule, and how that ended so far."""

    date: dt.date
    schedule: ScheduleName
    credits_consumed: int
    completed: int
    failed: int


class ReviewerSpending(Answer):
    """What assessments by a language model took on these days, and how they ended."""

    requests: int
    input_tokens: int
    output_tokens: int
    cost: float = Field(description="By the operator's prices; 0 where none are set.")
    currency: str
    confirmed: int
    changed: int
    stood: int = Field(description="Assessments without a usable reply: the engine's own answer was kept.")

    @classmethod
    def of(cls, spent: Spending, currency: str) -> ReviewerSpending:
        """The wire shape of some days' figures."""
        return cls(
            requests=spent.requests,
            input_tokens=spent.tokens.input,
            output_tokens=spent.tokens.output,
            cost=float(spent.cost),
            currency=currency,
            confirmed=spent.confirmed,
            changed=spent.changed,
            stood=spent.stood,
        )


class UsageOutput(Answer):
    """What was spent: one credit for each classification accepted."""

    environment: Environment
    first: dt.date = Field(serialization_alias="from")
    last: dt.date = Field(serialization_alias="to")
    credits_consumed: int = Field(description="Credits consumed on these days.")
    credits_consumed_in_all: int = Field(description="Credits consumed since the organization was created.")
    credit_limit: int | None = Field(description="Null if there is none; the sandbox has none.")
    reviewer: ReviewerSpending
    days: list[UsageDay]


@router.get("/usage", response_model=UsageOutput, responses=refusing(400))
async def get_usage(
    query: Annotated[UsageQuery, Query()], access: Annotated[Access, access_for(Scope.USAGE_READ)]
) -> Response:
    """Show the credits consumed, day by day. The sandbox's are shown and never charged."""
    first, last = query.days(access.now.date())
    async with access.read() as transaction:
        days = await activity.days(transaction, access.tenant, first=first, last=last)
        spent = await organizations.credits_spent(transaction, access.tenant)
        assessed = await reviewer.spending(transaction, access.tenant, first=first, last=last)
        organization = await organizations.get_organization(transaction, access.tenant.organization_id)
    live = access.tenant.environment is Environment.LIVE
    body = UsageOutput(
        environment=access.tenant.environment,
        first=first,
        last=last,
        credits_consumed=sum(day.accepted for day in days),
        credits_consumed_in_all=spent,
        credit_limit=organization.credit_limit if live else None,
        reviewer=ReviewerSpending.of(assessed, access.service.settings.reviewer_currency),
        days=[
            UsageDay(
                date=day.date,
                schedule=day.schedule,
                credits_consumed=day.accepted,
                completed=day.completed,
                failed=day.failed,
            )
            for day in days
        ],
    )
    return answer(body)
