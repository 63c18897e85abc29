"""What a promoted revision means for everybody's completed answers: noticed once, compared once, told to each.

The trap: a promotion happens in a folder, by another process, perhaps while no worker runs; so what counts is which
revision the database saw last, and a revision that was promoted and replaced meanwhile is skipped."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.queue import Order, defer
from pcs.base.tasks import DELIVERY, Task
from pcs.base.tenancy import Tenant
from pcs.classifications import comparison_store as store
from pcs.classifications.comparison_store import OutdatedAnswers, RevisionComparison
from pcs.classifications.outdated import answered_since
from pcs.classifications.outdated_store import OutdatedCodes
from pcs.tariff.changes import ASKING, TOLD, ChangeKind, Changes
from pcs.tariff.revision import ScheduleName
from pcs.webhooks import service as webhooks
from pcs.webhooks.model import Event, EventType
from pcs.wire.events import ScheduleOutdated

COMPARE = Task("schedules.compare", DELIVERY)


@dataclass(frozen=True, slots=True)
class Affected:
    """How many of a tenant's completed answers rest on codes that changed, by what happened to the code."""

    tenant: Tenant
    counts: Mapping[ChangeKind, int]


async def notice(transaction: Transaction, name: ScheduleName, key: str, *, now: dt.datetime) -> bool:
    """Remember which revision answers; where it is another than was seen last, queue the comparison of both."""
    if await store.last_seen(transaction, name) == key:
        return False
    await store.one_at_a_time(transaction)
    before = await store.last_seen(transaction, name)
    if before == key:
        return False
    comparison = RevisionComparison(ids.new_id(ids.COMPARISON), name, before, key)
    await store.add(transaction, comparison, now=now)
    if before is None:
        await store.finish(transaction, comparison.id, now=now)
        return False
    await defer(transaction, COMPARE, [Order(comparison.id)])
    return True


async def unfinished(transaction: Transaction, comparison_id: str) -> RevisionComparison | None:
    """A comparison that is still to be made; None where it was made."""
    return await store.unfinished(transaction, comparison_id)


async def affected(transaction: Transaction, changes: Changes) -> list[Affected]:
    """Whose completed answers the changes touch, and how many of them."""
    by_code = {kind: changes.lines(kind) for kind in (*ASKING, *TOLD)}
    codes = tuple({code for found in by_code.values() for code in found})
    question = OutdatedCodes(changes.after.schedule, codes, answered_since(changes))
    counts: dict[Tenant, dict[ChangeKind, int]] = {}
    for tenant, code, number in await store.count_by_code(transaction, question):
        of_tenant = counts.setdefault(tenant, {})
        for kind in (kind for kind, found in by_code.items() if code in found):
            of_tenant[kind] = of_tenant.get(kind, 0) + number
    return [Affected(tenant, found) for tenant, found in sorted(counts.items(), key=lambda pair: str(pair[0]))]


async def tell(
    transaction: Transaction, comparison: RevisionComparison, changes: Changes, one: Affected, *, now: dt.datetime
) -> None:
    """Store and tell a tenant what a comparison found, once, however often it is asked for."""
    if await store.add_answers(transaction, comparison, one.tenant, one.counts, now=now):
        body = ScheduleOutdated.of(changes, one.counts, before=comparison.before or "", after=comparison.after, now=now)
        subject = f"{comparison.id}/{one.tenant.organization_id}/{one.tenant.environment}"
        event = Event(one.tenant, EventType.SCHEDULE_OUTDATED, subject, body.rendered())
        await webhooks.emit(transaction, one.tenant, [(event, None)], now=now)


async def finish(transaction: Transaction, comparison: RevisionComparison, *, now: dt.datetime) -> None:
    """Everybody was told."""
    await store.finish(transaction, comparison.id, now=now)


async def to_settle(transaction: Transaction, tenant: Tenant) -> list[OutdatedAnswers]:
    """A tenant's outdated answers under the revisions that were seen last, which nobody has settled yet."""
    return [one for one in await store.open_answers(transaction, tenant) if one.outdated]


async def settle(transaction: Transaction, tenant: Tenant, name: ScheduleName, *, now: dt.datetime) -> None:
    """Take it that a tenant has dealt with the outdated answers of a schedule."""
    await store.settle(transaction, tenant, name, now=now)
