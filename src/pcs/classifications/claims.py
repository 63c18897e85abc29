"""The right to analyse: the classification that a job is about, and others that wait behind it.

The trap: one that ends its worker, or whose analysis fails, and takes others with it again and again; only what nobody
has begun is taken beside another, so whatever has to be done a second time is done alone."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Sequence

from pcs.base.database import Transaction
from pcs.base.queue import end, put_back
from pcs.classifications import claims_store as store
from pcs.classifications import endings
from pcs.classifications.model import MAX_ATTEMPTS, TASKS, Claim, Failure, FailureCode, Outcome
from pcs.decisions import service as decisions
from pcs.promises import service as promises


async def claim(transaction: Transaction, classification_id: str, *, now: dt.datetime, most: int = 1) -> list[Claim]:
    """The right to analyse a classification now, and with it others that wait behind it, at most so many in all.

    Empty where it is finished, or failed here after too many attempts.
    """
    first = await store.claim(transaction, classification_id, now=now)
    if first is None:
        return []
    if first.attempt > MAX_ATTEMPTS:
        message = f"The analysis did not end in {MAX_ATTEMPTS} attempts."
        failed = Outcome(processing_time_ms=0, failure=Failure(FailureCode.CLASSIFICATION_ERROR, message))
        await endings.finish(transaction, [(first, failed)], now=now)
        return []
    more = await _more(transaction, first, most - 1, now=now) if most > 1 and first.attempt == 1 else []
    return await _informed(transaction, [first, *more])


async def _more(transaction: Transaction, first: Claim, most: int, *, now: dt.datetime) -> list[Claim]:
    if first.job is None:
        return []
    task = TASKS[first.classification.tenant.environment]
    more, about_nothing = await store.claim_more(transaction, task, beside=first.job, most=most, now=now)
    await end(transaction, about_nothing)
    return more


async def _informed(transaction: Transaction, claims: Sequence[Claim]) -> list[Claim]:
    """The same with what counts for their answers."""
    goods = [(one.tenant, one.schedule, one.goods) for one in (claim.classification for claim in claims)]
    terms = await promises.terms(transaction, [(tenant, schedule) for tenant, schedule, _ in goods])
    decided = await decisions.near(transaction, goods)
    return [
        dataclasses.replace(one, terms=by, decided=found) for one, by, found in zip(claims, terms, decided, strict=True)
    ]


async def give_back(transaction: Transaction, claims: Sequence[Claim]) -> None:
    """Undo claims whose analysis could not begin: they wait as if nobody had claimed them."""
    await store.give_back(transaction, claims)
    await leave(transaction, claims)


async def leave(transaction: Transaction, claims: Sequence[Claim]) -> None:
    """Let others analyse what was taken beside another, each by itself."""
    jobs = [one.job for one in claims if one.taken and one.job is not None]
    await put_back(transaction, TASKS[claims[0].classification.tenant.environment], jobs)
