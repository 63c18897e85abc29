"""What is kept of assessments while they run and when they end: replies paid for, and what a day may cost and did.

The trap: a step paid for twice after a crash; its reply and its cost are stored in one transaction, before the next."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from typing import Any

from pcs.base.database import Transaction
from pcs.base.tenancy import Tenant
from pcs.reviewer import store
from pcs.reviewer.conversation import Reply
from pcs.reviewer.model import AssessmentError, Budget, Fault, Prices, ReplyKey, Spending

_KEPT = dt.timedelta(days=7)  # replies of what never ended


async def kept_reply(transaction: Transaction, key: ReplyKey) -> Reply | None:
    """The reply to a request, if it was paid for."""
    found = await store.get_reply(transaction, key)
    return None if found is None else Reply.of(json.loads(found))


async def require_budget(transaction: Transaction, tenant: Tenant, budget: Budget, *, now: dt.datetime) -> None:
    """Raises AssessmentError once a day's budget, all of it or the organization's, is spent.

    What is under way goes on, so a day can cost as much more as the requests that ran at once.
    """
    limits = ((budget.day, None), (budget.organization, tenant))
    for limit, whose in limits:
        if limit is not None and await store.cost_of_day(transaction, now.date(), whose) >= limit:
            raise AssessmentError(Fault.BUDGET_SPENT)


async def keep_reply(
    transaction: Transaction, key: ReplyKey, reply: Reply, *, prices: Prices, now: dt.datetime
) -> None:
    """Keep a reply and count what it took."""
    document = json.dumps(reply.document())
    await store.add_reply(transaction, key, document, now=now)
    tokens = {"input_tokens": reply.tokens.input, "output_tokens": reply.tokens.output}
    await store.count(transaction, key.tenant, now.date(), requests=1, **tokens, cost=prices.cost(reply.tokens))


async def settle(
    transaction: Transaction, tenant: Tenant, classification_id: str, record: Mapping[str, Any], *, now: dt.datetime
) -> None:
    """Count how an assessment ended and let go of its replies; in the transaction that ends the classification."""
    await store.remove_replies(transaction, tenant, classification_id)
    dropped = sum(record["dropped"].values())
    await store.count(transaction, tenant, now.date(), **{record["ending"]: 1}, dropped=dropped)


async def spending(
    transaction: Transaction, tenant: Tenant | None, *, first: dt.date | None = None, last: dt.date | None = None
) -> Spending:
    """What assessments took on some days, a tenant's or everybody's."""
    return await store.spending(transaction, tenant, first=first, last=last)


async def tidy(transaction: Transaction, *, now: dt.datetime) -> None:
    """Let go of replies that nobody will ask for again."""
    await store.remove_old_replies(transaction, before=now - _KEPT)
