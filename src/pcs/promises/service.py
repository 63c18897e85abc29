"""What can be done with promises: make one, see what holds of it, compute what reviews bear.

The trap: a threshold that each analysis computes; a job computes it after reviews, and an analysis reads it."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime as dt
import hashlib
from collections.abc import Sequence

from pcs.base.database import Transaction
from pcs.base.errors import InvalidRequestError, NotFoundError, Violation
from pcs.base.queue import Order, defer
from pcs.base.tenancy import Environment, Tenant
from pcs.evaluation.promise import Kept, Promise, Reviewed, kept
from pcs.organizations import audit
from pcs.organizations.people import Action, Actor
from pcs.promises import store
from pcs.promises.model import (
    COMPUTE,
    DIGITS,
    FEWEST_RIGHT,
    LEAST_SHARE,
    MOST_RIGHT,
    BrokenPromise,
    Evidence,
    PromiseReport,
    PromiseTerms,
    ReviewTerms,
    ThresholdOfSchedule,
)
from pcs.tariff.revision import ScheduleName


async def terms(transaction: Transaction, asked: Sequence[tuple[Tenant, ScheduleName]]) -> list[ReviewTerms]:
    """For each, by what its tenant's answers under the schedule wait for a person."""
    return await store.terms(transaction, asked)


async def put(
    transaction: Transaction, tenant: Tenant, actor: Actor, wanted: PromiseTerms, *, now: dt.datetime
) -> PromiseReport:
    """Make a promise, or another one; what reviews bear of it is computed by a job. Raises InvalidRequestError."""
    _check(wanted)
    before = await store.hold(transaction, tenant)
    await store.put(transaction, tenant, wanted, now=now)
    if before is None or before.promise != wanted.promise:
        await store.forget_thresholds(transaction, tenant)
    await defer(transaction, COMPUTE, [Order(_subject(tenant, schedule)) for schedule in ScheduleName])
    await audit.record(transaction, actor, Action.PROMISE_SET, detail=_told(tenant, wanted), now=now)
    return await get(transaction, tenant)


def _check(wanted: PromiseTerms) -> None:
    wrong = []
    if not FEWEST_RIGHT <= wanted.promise.right <= MOST_RIGHT:
        told = f"must be from {FEWEST_RIGHT} to {MOST_RIGHT} ({FEWEST_RIGHT:.0%} to {MOST_RIGHT:.0%})"
        wrong.append(Violation("right", told))
    if wanted.promise.digits not in DIGITS:
        wrong.append(Violation("digits", "must be 4, 6, 8 or 10"))
    if not LEAST_SHARE <= wanted.asked_share <= 1:
        told = f"must be from {LEAST_SHARE} to 1 ({LEAST_SHARE:.1%} to 100%)"
        wrong.append(Violation("asked_share", told))
    if wrong:
        raise InvalidRequestError(*wrong)


async def get(transaction: Transaction, tenant: Tenant) -> PromiseReport:
    """A tenant's promise, and what holds of it. Raises NotFoundError."""
    found = await find(transaction, tenant)
    if found is None:
        msg = "Nothing is promised: the threshold that is set decides what needs review."
        raise NotFoundError(msg)
    return found


async def find(transaction: Transaction, tenant: Tenant) -> PromiseReport | None:
    """A tenant's promise, and what holds of it; None where nothing is promised."""
    wanted = await store.get(transaction, tenant)
    if wanted is None:
        return None
    computed = await store.thresholds(transaction, tenant)
    to_review = await store.to_review(transaction, tenant)
    unknown = Kept(0, missing=wanted.promise.fewest)
    return PromiseReport(
        wanted,
        tuple(
            dataclasses.replace(
                computed[name][0] if name in computed else ThresholdOfSchedule(name, unknown),
                to_review=to_review.get(name, 0),
            )
            for name in ScheduleName
        ),
    )


async def withdraw(transaction: Transaction, tenant: Tenant, actor: Actor, *, now: dt.datetime) -> None:
    """Promise nothing from now on: the fixed threshold holds again. Raises NotFoundError."""
    await store.hold(transaction, tenant)
    await get(transaction, tenant)
    await store.remove(transaction, tenant)
    await audit.record(transaction, actor, Action.PROMISE_WITHDRAWN, detail=tenant.environment, now=now)


async def note_review(transaction: Transaction, tenant: Tenant, schedule: ScheduleName) -> None:
    """Have what reviews bear computed anew, once the review of an answer drawn by chance is committed."""
    await defer(transaction, COMPUTE, [Order(_subject(tenant, schedule))])


async def compute(transaction: Transaction, subject: str, *, now: dt.datetime) -> None:
    """What a job does: compute what the reviews of a tenant under a schedule bear, unless they are the same as last
    time or nothing is promised; a threshold that they end is written down."""
    organization, environment, name = subject.split("/")
    tenant, schedule = Tenant(organization, Environment(environment)), ScheduleName(name)
    wanted = await store.hold(transaction, tenant)
    if wanted is None:
        return
    said = await store.evidence(transaction, tenant, schedule)
    before, digest = (await store.thresholds(transaction, tenant)).get(schedule, (None, b""))
    if digest == (present := _digest(said)):
        return
    reviewed = at_digits(said, wanted.promise.digits)
    borne = await asyncio.to_thread(kept, wanted.promise, reviewed)
    broken = _broken(wanted.promise, before, borne, reviewed, now=now)
    if broken is not None:
        detail = _breach(tenant, schedule, broken, borne)
        who = Actor(tenant.organization_id, None, "the service", "")
        await audit.record(transaction, who, Action.PROMISE_BROKEN, detail=detail, now=now)
    found = ThresholdOfSchedule(schedule, borne, 0, now, broken or (before.broken if before else None))
    await store.keep_threshold(transaction, tenant, found, present)


def at_digits(said: Sequence[Evidence], digits: int) -> list[Reviewed]:
    """What people said, at so many digits; what was not scored there is left out."""
    return [found for one in said if (found := one.at(digits)) is not None]


def _broken(
    promise: Promise, before: ThresholdOfSchedule | None, borne: Kept, reviewed: Sequence[Reviewed], *, now: dt.datetime
) -> BrokenPromise | None:
    """Whether reviews end a threshold: nothing can be taken any more, or what it took was right too seldom."""
    if before is None or before.kept.threshold is None:
        return None
    threshold = before.kept.threshold
    taken = [one.right for one in reviewed if one.confidence >= threshold]
    if borne.threshold is not None and sum(taken) >= promise.right * len(taken):
        return None
    return BrokenPromise(now, threshold, len(taken), sum(taken))


def _digest(said: Sequence[Evidence]) -> bytes:
    return hashlib.sha256(repr([(one.code, one.right_digits, one.levels) for one in said]).encode()).digest()


def _subject(tenant: Tenant, schedule: ScheduleName) -> str:
    return f"{tenant.organization_id}/{tenant.environment}/{schedule}"


def _told(tenant: Tenant, wanted: PromiseTerms) -> str:
    right, asked = wanted.promise.right * 100, wanted.asked_share * 100
    return f"{right:g}% right at {wanted.promise.digits} digits, {asked:g}% asked about ({tenant.environment})"


def _breach(tenant: Tenant, schedule: ScheduleName, broken: BrokenPromise, borne: Kept) -> str:
    held = f"{broken.right} of {broken.reviewed} right from a confidence of {broken.threshold * 100:.3g}% on"
    now = "none holds now" if borne.threshold is None else f"{borne.threshold * 100:.3g}% holds now"
    return f"{schedule} ({tenant.environment}): {held}; {now}"
