"""Outdated answers classified again in one action, as batches of their own. The trap: the same goods twice, because two
people pressed the button; who asks second waits, and then finds them under way."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from pcs.base.database import Transaction
from pcs.base.paging import Slice
from pcs.base.tenancy import Tenant
from pcs.batches import service as batches
from pcs.batches.model import MAX_PRODUCTS, Batch
from pcs.classifications import comparison_store, comparisons
from pcs.classifications import service as classifications
from pcs.classifications.model import Classification, ClassificationOptions
from pcs.classifications.outdated import outdated_classifications
from pcs.products.model import StoredProduct
from pcs.tariff.changes import Changes

AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Again:
    """What is classified again: the batches, how many classifications they hold, and how many outdated ones are left
    for the next time."""

    batches: tuple[Batch, ...]
    accepted: int
    left: int


async def classify_again(transaction: Transaction, tenant: Tenant, changes: Changes, *, now: dt.datetime) -> Again:
    """Classify a tenant's outdated answers again, the newest first, at most a thousand at once.

    Costs a credit each. Raises InsufficientCreditsError.
    """
    await comparison_store.one_at_a_time(transaction)
    page = await outdated_classifications(transaction, tenant, changes, Slice(AT_ONCE))
    wanted = [one.classification.id for one in page.found.items]
    found = await classifications.get_all(transaction, tenant, wanted)
    answers = [found[one] for one in wanted]
    opened = [
        await _again(transaction, tenant, answers[start : start + MAX_PRODUCTS], now=now)
        for start in range(0, len(answers), MAX_PRODUCTS)
    ]
    left = page.total - len(answers)
    if not left:
        await comparisons.settle(transaction, tenant, changes.after.schedule, now=now)
    return Again(tuple(opened), len(answers), left)


async def _again(
    transaction: Transaction, tenant: Tenant, answers: Sequence[Classification], *, now: dt.datetime
) -> Batch:
    batch = await batches.open_batch(transaction, tenant, total=len(answers), webhook_url=None, now=now)
    goods = [StoredProduct(one.product_id, one.goods, one.created_at) for one in answers]
    terms = ClassificationOptions(schedules=(answers[0].schedule,), batch_id=batch.id)
    await classifications.accept(transaction, tenant, goods, terms, now=now)
    return batch
