"""How classifications end: what is stored, what it decides, who is told; as many at once as a worker has analysed.

The trap: a state, its event and its batch's in more than one transaction; all of it stands or falls together. Groups of
variants are held before rows, rows before batches, in one order for all."""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
from collections.abc import Sequence

from pcs.base.database import Transaction
from pcs.base.queue import end
from pcs.base.tenancy import Tenant
from pcs.batches import service as batches
from pcs.batches.model import Batch, BatchSummary
from pcs.classifications import claims_store, consistency, store
from pcs.classifications.claims_store import End
from pcs.classifications.deciding import assessed_by_model, decision_on, taken
from pcs.classifications.model import Claim, Classification, Failure, FailureCode, Outcome, Status
from pcs.decisions import service as decisions
from pcs.decisions.model import DecisionSource
from pcs.engine.determination import Determination, Undetermined
from pcs.webhooks import service as webhooks
from pcs.webhooks.model import Event, EventType
from pcs.wire.events import BatchCompleted, ClassificationCompleted, ClassificationFailed


def outcome_of(determination: Determination, *, processing_time_ms: int) -> Outcome:
    """How an analysis that came to an end is stored: completed with a result, failed without one."""
    ended = Outcome(processing_time_ms=processing_time_ms, steps=determination.steps)
    if isinstance(determination.answer, Undetermined):
        undetermined = determination.answer
        return dataclasses.replace(ended, failure=Failure(FailureCode(undetermined.reason), undetermined.reasoning))
    return dataclasses.replace(ended, result=determination.answer)


async def finish(
    transaction: Transaction,
    analysed: Sequence[tuple[Claim, Outcome]],
    *,
    now: dt.datetime,
    keep_assessed: bool = False,
) -> set[str]:
    """Store the final states of claims with their events and deliveries, and forget the jobs that were taken for them.

    Answers the ids of those that were stored: nothing is done about those whose claim has been lost. With
    `keep_assessed` a code that a language model confirmed or changed is kept as a decision.
    """
    judged = [(one, consistency.held_against(told, one.classification.goods, one.decided)) for one, told in analysed]
    keys = [consistency.key_of(one.classification, told.result) for one, told in judged]
    await consistency.hold_all(transaction, keys)
    ends = [
        claims_store.End(one, told, taken(told, now=now), key) for (one, told), key in zip(judged, keys, strict=True)
    ]
    stored = await claims_store.finish(transaction, ends, now=now)
    ends = [one for one in ends if one.classification.id in stored]
    for tenant, theirs in sorted(_by_tenant(ends).items(), key=lambda each: tuple(each[0].columns.values())):
        await consistency.settle(transaction, tenant, *(one.variants for one in theirs))
        if keep_assessed:
            await _remember(transaction, tenant, theirs, now=now)
        await announce(transaction, tenant, [one.classification for one in theirs], now=now)
    await end(transaction, [one.claim.job for one in ends if one.claim.taken and one.claim.job is not None])
    return stored


def _by_tenant(ends: Sequence[End]) -> dict[Tenant, list[End]]:
    found: dict[Tenant, list[End]] = {}
    for one in ends:
        found.setdefault(one.classification.tenant, []).append(one)
    return found


async def _remember(transaction: Transaction, tenant: Tenant, ends: Sequence[End], *, now: dt.datetime) -> None:
    assessed = [(one.classification, assessed_by_model(one.outcome, now=now)) for one in ends]
    kept = [decision_on(one, final, DecisionSource.ASSESSMENT) for one, final in assessed if final is not None]
    await decisions.remember(transaction, tenant, kept, now=now)


async def announce(
    transaction: Transaction, tenant: Tenant, ended: Sequence[Classification], *, now: dt.datetime
) -> None:
    """Tell whoever asked for it that a tenant's classifications are final, and of each batch whose last they were."""
    told = [(_event(one, now=now), one.webhook_url) for one in ended]
    counts = collections.Counter(one.batch_id for one in ended if one.batch_id is not None)
    await webhooks.emit(transaction, tenant, told, now=now)
    completed = [
        batch
        for batch_id, number in sorted(counts.items())
        if (batch := await batches.finish(transaction, batch_id, number, now=now)) is not None
    ]
    for batch in completed:
        await _announce_batch(transaction, batch, now=now)


def _event(ended: Classification, *, now: dt.datetime) -> Event:
    told = (ClassificationFailed if ended.failure else ClassificationCompleted).of(ended, now=now)
    return Event(ended.tenant, told.event, ended.id, told.rendered())


async def _announce_batch(transaction: Transaction, batch: Batch, *, now: dt.datetime) -> None:
    [summary] = await summaries(transaction, [batch])
    items = await store.list_all(transaction, batch.tenant, batch_id=batch.id)
    body = BatchCompleted.of(batch, summary, items, now=now).rendered()
    event = Event(batch.tenant, EventType.BATCH_COMPLETED, batch.id, body)
    await webhooks.emit(transaction, batch.tenant, [(event, batch.webhook_url)], now=now)


async def summaries(transaction: Transaction, found: Sequence[Batch]) -> list[BatchSummary]:
    """How far each batch is, in the order given."""
    counts = await store.count_by_status(transaction, [batch.id for batch in found])
    return [
        BatchSummary(batch.total, counts[batch.id].get(Status.COMPLETED, 0), counts[batch.id].get(Status.FAILED, 0))
        for batch in found
    ]
