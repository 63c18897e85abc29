"""What can be done with classifications: `accept` them, and in three calls `claim`, analyse, `finish`.

The trap: a state, its credit, its job and its event in more than one transaction; each function here takes one and all
that it writes stands or falls together."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from typing import Any

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.errors import NotFoundError
from pcs.base.queue import Order, defer
from pcs.base.tenancy import Tenant
from pcs.classifications import store
from pcs.classifications.model import (
    ANALYSE,
    MAX_ATTEMPTS,
    Claim,
    Classification,
    Failure,
    FailureCode,
    Outcome,
    Status,
    Terms,
)
from pcs.classifications.results import result_document
from pcs.engine.determination import Determination
from pcs.organizations import service as organizations
from pcs.products.model import StoredProduct
from pcs.webhooks import service as webhooks
from pcs.webhooks.model import Event, EventType

_FIRST_ESTIMATE = 60  # seconds; source: interface.md, "about 60 seconds on average"
_ORPHAN_AGE = dt.timedelta(minutes=2)


async def accept(
    transaction: Transaction, tenant: Tenant, products: Sequence[StoredProduct], terms: Terms, *, now: dt.datetime
) -> list[Classification]:
    """One pending classification for each product and schedule, in that order, with its credit and its job.

    Raises InsufficientCreditsError.
    """
    accepted = [
        Classification(
            id=ids.new_id(ids.CLASSIFICATION),
            tenant=tenant,
            product_id=product.id,
            schedule=schedule,
            status=Status.PENDING,
            goods=product.fields,
            created_at=now,
            batch_id=terms.batch_id,
            webhook_url=terms.webhook_url,
        )
        for product in products
        for schedule in terms.schedules
    ]
    waiting = await store.count_open(transaction, tenant)
    await store.add(transaction, accepted)
    await organizations.charge(transaction, tenant, [one.id for one in accepted], now=now)
    await _queue(transaction, [one.id for one in accepted], behind=waiting)
    return accepted


async def _queue(transaction: Transaction, classification_ids: Sequence[str], *, behind: int) -> None:
    """Queue jobs; the more an organization has waiting, the later its next goes, so that none holds up the others."""
    orders = [Order(one, priority=-place) for place, one in enumerate(classification_ids, start=behind)]
    jobs = await defer(transaction, ANALYSE, orders)
    await store.set_jobs(transaction, list(zip(classification_ids, jobs, strict=True)))


async def estimated_seconds(transaction: Transaction, *, slots: int) -> int:
    """When a classification accepted now is likely to be ready: the queue's length by the latest analyses' median.

    `slots` is how many analyses run at once.
    """
    median = await store.median_processing_ms(transaction)
    if median is None:
        return _FIRST_ESTIMATE
    return max(1, math.ceil(await store.count_open(transaction) * median / 1000 / slots))


async def get(transaction: Transaction, tenant: Tenant, classification_id: str) -> Classification:
    """A tenant's classification. Raises NotFoundError."""
    found = None
    if ids.is_id(ids.CLASSIFICATION, classification_id):
        found = await store.get(transaction, tenant, classification_id)
    if found is None:
        msg = f"There is no classification {classification_id}."
        raise NotFoundError(msg)
    return found


async def claim(transaction: Transaction, classification_id: str, *, now: dt.datetime) -> Claim | None:
    """The right to analyse a classification now; None where it is finished, or failed here after too many attempts."""
    claimed = await store.claim(transaction, classification_id, now=now)
    if claimed is None or claimed.attempt <= MAX_ATTEMPTS:
        return claimed
    failure = Failure(FailureCode.CLASSIFICATION_ERROR, f"The analysis did not end in {MAX_ATTEMPTS} attempts.")
    await finish(transaction, claimed, Outcome(processing_time_ms=0, failure=failure), now=now)
    return None


def outcome_of(determination: Determination, *, processing_time_ms: int) -> Outcome:
    """How an analysis that came to an end is stored: completed with a code, failed without one."""
    if determination.code is None:
        failure = Failure(FailureCode.INSUFFICIENT_INFORMATION, determination.reasoning)
        return Outcome(processing_time_ms=processing_time_ms, failure=failure)
    return Outcome(processing_time_ms=processing_time_ms, result=result_document(determination))


async def finish(transaction: Transaction, claim: Claim, outcome: Outcome, *, now: dt.datetime) -> bool:
    """Store the final state with its event and deliveries; False, and nothing, where the claim has been lost."""
    if not await store.finish(transaction, claim, outcome, now=now):
        return False
    finished = claim.classification
    kind = EventType.CLASSIFICATION_FAILED if outcome.failure else EventType.CLASSIFICATION_COMPLETED
    event = Event(tenant=finished.tenant, type=kind, subject_id=finished.id, data=_event_data(finished, outcome))
    await webhooks.emit(transaction, event, request_url=finished.webhook_url, now=now)
    return True


def _event_data(finished: Classification, outcome: Outcome) -> dict[str, Any]:
    goods = {"name": finished.goods.name}
    if finished.goods.identifier is not None:
        goods["identifier"] = finished.goods.identifier
    data: dict[str, Any] = {"id": finished.id, "schedule": finished.schedule, "product": goods}
    if outcome.failure is None:
        return {**data, "status": Status.COMPLETED, "result": outcome.result}
    error = {"code": outcome.failure.code, "message": outcome.failure.message}
    return {**data, "status": Status.FAILED, "error": error}


async def requeue_orphans(transaction: Transaction, *, now: dt.datetime) -> int:
    """Queue anew what is unfinished and carried by no job, however that came about; answers how many."""
    orphans = await store.orphans(transaction, before=now - _ORPHAN_AGE)
    if orphans:
        await _queue(transaction, orphans, behind=0)
    return len(orphans)
