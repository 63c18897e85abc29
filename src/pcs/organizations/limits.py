"""How much an organization and each of its keys may ask for. The trap: a limit that takes hold when a process starts
again; both are read with each request, so that a change counts from the next one on."""

from __future__ import annotations

import datetime as dt

from pcs.base.database import Transaction
from pcs.base.errors import InvalidRequestError, NotFoundError, Violation
from pcs.base.plurals import counted
from pcs.organizations import audit, credits_store, store
from pcs.organizations.model import ApiKey, Organization
from pcs.organizations.people import Action, Actor

MOST_REQUESTS = 1_000_000
"""A minute: more than any installation answers."""
MOST_CREDITS = 2_000_000_000
"""What the column holds."""


async def set_rate_limit(
    transaction: Transaction, actor: Actor, key_id: str, limit: int | None, *, now: dt.datetime
) -> ApiKey:
    """Let a key of the actor's organization send so many requests a minute; None for the service's own limit.

    Raises InvalidRequestError, and NotFoundError where there is no such active key.
    """
    if limit is not None and not 1 <= limit <= MOST_REQUESTS:
        raise InvalidRequestError(Violation("rate_limit", f"must be between 1 and {MOST_REQUESTS:,}"))
    key = await store.set_rate_limit(transaction, key_id, actor.organization_id, limit)
    if key is None:
        msg = f"There is no active key {key_id}."
        raise NotFoundError(msg)
    said = "the service's own limit" if limit is None else f"{limit} requests a minute"
    detail = f"{key.name} (…{key.last_four}): {said}"
    await audit.record(transaction, actor, Action.RATE_LIMIT_SET, subject=key_id, detail=detail, now=now)
    return key


async def set_credit_limit(
    transaction: Transaction, actor: Actor, limit: int | None, *, now: dt.datetime
) -> Organization:
    """Let the actor's organization consume so many credits in all, those it has consumed included; None for no limit.

    Raises InvalidRequestError. The sandbox's credits are never charged, so no limit holds there.
    """
    if limit is not None and not 0 <= limit <= MOST_CREDITS:
        raise InvalidRequestError(Violation("credit_limit", f"must be between 0 and {MOST_CREDITS:,}"))
    before = await store.get_organization(transaction, actor.organization_id)
    await credits_store.set_limit(transaction, before.id, limit)
    detail = f"from {_said(before.credit_limit)} to {_said(limit)}"
    await audit.record(transaction, actor, Action.CREDIT_LIMIT_SET, detail=detail, now=now)
    return await store.get_organization(transaction, actor.organization_id)


def _said(limit: int | None) -> str:
    return "no limit" if limit is None else counted(limit, "credit")
