"""What can be done with classifications but to analyse them, which `claims.py` begins and `endings.py` ends.

The trap: a state, its credit, its job and its event in more than one transaction; each function here takes one and all
that it writes stands or falls together."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Sequence

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.errors import InvalidRequestError, NotFoundError, Violation
from pcs.base.queue import Order, defer
from pcs.base.tenancy import Tenant
from pcs.classifications import accepted_store, consistency, endings, store, waiting_store
from pcs.classifications.deciding import decision_on
from pcs.classifications.model import (
    TASKS,
    Classification,
    ClassificationOptions,
    DecidedBy,
    Failure,
    FailureCode,
    Final,
    NotPendingError,
    Status,
)
from pcs.decisions import service as decisions
from pcs.decisions.model import DecisionSource
from pcs.engine.determination import Step
from pcs.organizations import service as organizations
from pcs.products.model import ProductFields, StoredProduct
from pcs.promises import service as promises
from pcs.reviews import service as reviews
from pcs.reviews.model import Decision, NotReviewableError, Review, counted, sent_back
from pcs.schedules.lines import DeclarableLine
from pcs.webhooks import service as webhooks
from pcs.webhooks.model import Event, EventType
from pcs.wire.events import ClassificationReviewed

_ORPHAN_AGE = dt.timedelta(minutes=2)


async def accept(
    transaction: Transaction,
    tenant: Tenant,
    products: Sequence[StoredProduct],
    terms: ClassificationOptions,
    *,
    now: dt.datetime,
) -> list[Classification]:
    """One pending classification for each product and schedule, in that order, with its credit and its job.

    Raises InsufficientCreditsError.
    """
    wanted = [(product, schedule) for product in products for schedule in terms.schedules]
    accepted = [
        Classification(
            id=classification_id,
            tenant=tenant,
            product_id=product.id,
            schedule=schedule,
            status=Status.PENDING,
            goods=_carrying(product.fields, terms),
            created_at=now,
            batch_id=terms.batch_id,
            webhook_url=terms.webhook_url,
        )
        for classification_id, (product, schedule) in zip(
            ids.new_ids(ids.CLASSIFICATION, len(wanted)), wanted, strict=True
        )
    ]
    await store_pending(transaction, tenant, accepted, in_batch=terms.batch_id is not None, now=now)
    return accepted


def _carrying(goods: ProductFields, terms: ClassificationOptions) -> ProductFields:
    """The goods with the request's metadata, where it has any."""
    return dataclasses.replace(goods, metadata=terms.metadata) if terms.metadata else goods


async def store_pending(
    transaction: Transaction, tenant: Tenant, accepted: Sequence[Classification], *, in_batch: bool, now: dt.datetime
) -> None:
    """Store new classifications, each with its credit and its job. Raises InsufficientCreditsError."""
    await accepted_store.add(transaction, tenant, accepted, TASKS[tenant.environment], in_batch=in_batch)
    await organizations.charge(transaction, tenant, [one.id for one in accepted], now=now)


async def open_by_state(transaction: Transaction) -> list[tuple[str, str, int, dt.datetime]]:
    """Environment, state, how many of all tenants are in it, and since when the oldest was accepted."""
    return await waiting_store.open_by_state(transaction)


async def get(transaction: Transaction, tenant: Tenant, classification_id: str) -> Classification:
    """A tenant's classification. Raises NotFoundError."""
    found = None
    if ids.is_id(ids.CLASSIFICATION, classification_id):
        found = await store.get(transaction, tenant, classification_id)
    if found is None:
        msg = f"There is no classification {classification_id}."
        raise NotFoundError(msg)
    return found


async def get_steps(transaction: Transaction, tenant: Tenant, classification_id: str) -> tuple[Step, ...]:
    """How a tenant's classification was analysed; empty before its end."""
    return await store.get_steps(transaction, tenant, classification_id) or ()


async def get_all(
    transaction: Transaction, tenant: Tenant, classification_ids: Sequence[str]
) -> dict[str, Classification]:
    """A tenant's classifications by their ids; what is not there is left out."""
    return {one.id: one for one in await store.list_all(transaction, tenant, classification_ids=classification_ids)}


async def of_product(transaction: Transaction, tenant: Tenant, product_id: str) -> list[Classification]:
    """Every classification of a product, newest first; those accepted together keep the order asked for."""
    found = await store.list_all(transaction, tenant, product_id=product_id)
    return sorted(found, key=lambda one: one.created_at, reverse=True)


async def of_batch(transaction: Transaction, tenant: Tenant, batch_id: str) -> list[Classification]:
    """Every classification of a batch, in the order submitted."""
    return await store.list_all(transaction, tenant, batch_id=batch_id)


async def review(
    transaction: Transaction, tenant: Tenant, classification_id: str, said: Review, line: DeclarableLine | None
) -> Classification:
    """Put a person's word beside the result; `line` is what they correct it to, and what they say decides.

    The same said again by the same changes nothing and is no event. What a person decided is locked: another code, or
    none, needs a note that says why. With four eyes it is proposed, and decides when somebody else says the same.
    Raises NotFoundError, NotReviewableError, InvalidRequestError.
    """
    before = await get(transaction, tenant, classification_id)
    variants = await consistency.hold(transaction, before, before.result)
    await store.hold(transaction, tenant, classification_id)
    found = await get(transaction, tenant, classification_id)
    if not found.status.is_final:
        msg = f"The classification is {found.status}: there is nothing to review yet."
        raise NotReviewableError(msg)
    ours = await organizations.get_organization(transaction, tenant.organization_id)
    said = counted(said, found.review, four_eyes=ours.four_eyes)
    if said == found.review:
        return found
    final = _decided(found, said, line)
    if said.note is None and _reopens(found.final, final):
        raise InvalidRequestError(Violation("note", "is needed: say why what a person decided is opened again"))
    await reviews.put(transaction, tenant, classification_id, said, has_code=found.status is Status.COMPLETED)
    if not said.stands:
        return dataclasses.replace(found, review=said)
    await store.decide(transaction, tenant, classification_id, final)
    reviewed = dataclasses.replace(found, review=said, final=final)
    await _decide(transaction, tenant, reviewed)
    counts = said.decision is not Decision.REJECTED and found.superseded_by is None
    await (consistency.join if counts else consistency.leave)(transaction, reviewed, variants)
    return reviewed


async def _decide(transaction: Transaction, tenant: Tenant, reviewed: Classification) -> None:
    """What follows from a review that decides: who asked is told, and it is a precedent."""
    assert reviewed.review is not None
    now = reviewed.review.decided_at
    body = ClassificationReviewed.of(reviewed, now=now).rendered()
    event = Event(tenant, EventType.CLASSIFICATION_REVIEWED, reviewed.id, body)
    await webhooks.emit(transaction, tenant, [(event, None)], now=now)
    await _remember(transaction, tenant, reviewed)
    if reviewed.asked_by_chance:
        await promises.note_review(transaction, tenant, reviewed.schedule)


async def send_back(
    transaction: Transaction, tenant: Tenant, classification_id: str, *, by: str, note: str, now: dt.datetime
) -> Classification:
    """Let who proposed a review look again, and say why. Raises NotFoundError, NotReviewableError."""
    await store.hold(transaction, tenant, classification_id)
    found = await get(transaction, tenant, classification_id)
    returned = sent_back(found.review, by=by, note=note, now=now)
    await reviews.put(transaction, tenant, classification_id, returned, has_code=found.status is Status.COMPLETED)
    return dataclasses.replace(found, review=returned)


def _reopens(before: Final | None, after: Final | None) -> bool:
    """Whether another code, or none, takes the place of one that a person decided."""
    if before is None or before.decided_by is not DecidedBy.PERSON:
        return False
    return after is None or after.code != before.code


async def _remember(transaction: Transaction, tenant: Tenant, reviewed: Classification) -> None:
    """Keep what a review decides as a precedent, of the goods as submitted and with what was answered; what it decides
    no more is forgotten."""
    final, submitted = reviewed.final, await _submitted(transaction, tenant, reviewed)
    of_goods = {one.id: one for one in (submitted, reviewed)}.values()
    if final is None:
        for one in of_goods:
            await decisions.withdraw(transaction, tenant, one.id)
        return
    decided = [decision_on(one, final, DecisionSource.REVIEW) for one in of_goods]
    await decisions.remember(transaction, tenant, decided, now=final.decided_at)


async def _submitted(transaction: Transaction, tenant: Tenant, one: Classification) -> Classification:
    """The classification of the goods before any question was answered."""
    while one.supersedes is not None:
        one = await get(transaction, tenant, one.supersedes)
    return one


async def newest(transaction: Transaction, tenant: Tenant, found: Sequence[Classification]) -> list[Classification]:
    """The same in their order, each that was superseded as what took its place in the end."""
    shown = list(found)
    while superseded := {one.superseded_by for one in shown if one.superseded_by}:
        after = await get_all(transaction, tenant, sorted(superseded))
        shown = [after[one.superseded_by] if one.superseded_by else one for one in shown]
    return shown


def _decided(found: Classification, said: Review, line: DeclarableLine | None) -> Final | None:
    """What a person's word makes of the code; None where they reject it, and where there is none to accept."""
    if said.decision is Decision.ACCEPTED and found.result is not None:
        result = found.result
        line = DeclarableLine(result.code, result.description, result.schedule_revision)
    if line is None:
        return None
    return Final(
        code=line.code,
        description=line.description,
        revision=line.revision,
        decided_by=DecidedBy.PERSON,
        decided_at=said.decided_at,
        decided_by_name=said.deciders,
        reason=said.note,
    )


async def cancel(
    transaction: Transaction, tenant: Tenant, classification_id: str, *, now: dt.datetime
) -> Classification:
    """End a classification that nobody has begun; its credit stays consumed, as for every failure.

    Raises NotFoundError, NotPendingError.
    """
    found = await get(transaction, tenant, classification_id)
    failure = Failure(FailureCode.CANCELLED, "The classification was cancelled before its analysis began.")
    if not await store.cancel(transaction, tenant, classification_id, failure, now=now):
        msg = "The classification is no longer pending: it can be cancelled only before its analysis begins."
        raise NotPendingError(msg)
    ended = dataclasses.replace(found, status=Status.FAILED, failure=failure, completed_at=now)
    await endings.announce(transaction, tenant, [ended], now=now)
    return ended


async def requeue_orphans(transaction: Transaction, *, now: dt.datetime) -> int:
    """Queue anew what is unfinished and carried by no job, however that came about; answers how many."""
    orphans = await waiting_store.orphans(transaction, before=now - _ORPHAN_AGE)
    for environment, task in TASKS.items():
        theirs = [one for one, where in orphans if where is environment]
        jobs = await defer(transaction, task, [Order(one, priority=-place) for place, one in enumerate(theirs)])
        await store.set_jobs(transaction, list(zip(theirs, jobs, strict=True)))
    return len(orphans)
