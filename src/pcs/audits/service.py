"""What can be done with audits: submit products that have codes declared, and read what is at stake.

The trap: an order of the riskiest that hides what cannot be put in figures; where duties cannot be compared, the surest
comes first, behind those that can."""

from __future__ import annotations

import datetime as dt
import math
from collections import defaultdict
from collections.abc import Sequence

from pcs.audits import store
from pcs.audits.model import AuditTotals
from pcs.base.database import Transaction
from pcs.base.errors import InvalidRequestError, Violation
from pcs.base.tenancy import Tenant
from pcs.batches import service as batches
from pcs.batches.model import Batch
from pcs.classifications import service as classifications
from pcs.classifications.model import Classification, ClassificationOptions
from pcs.products.model import ProductFields, StoredProduct
from pcs.tariff.revision import ScheduleName


def require_declared(submitted: Sequence[ProductFields]) -> None:
    """Raise InvalidRequestError with every product that has no declared code."""
    missing = "is needed: give the code that the goods are filed under today"
    bare = (place for place, fields in enumerate(submitted) if not fields.declared_codes)
    violations = [Violation(f"products[{place}].declared_codes", missing) for place in bare]
    if violations:
        raise InvalidRequestError(*violations)


async def submit(
    transaction: Transaction,
    tenant: Tenant,
    products: Sequence[StoredProduct],
    *,
    webhook_url: str | None,
    now: dt.datetime,
) -> tuple[Batch, list[Classification]]:
    """Classify each product under the schedules that it has a declared code of, as one batch.

    Raises InsufficientCreditsError. Whether each has one is for `require_declared` to say, before anything is stored.
    """
    alike = defaultdict[tuple[ScheduleName, ...], list[StoredProduct]](list)
    for product in products:
        alike[tuple(sorted(product.fields.declared_codes))].append(product)
    total = sum(len(schedules) * len(group) for schedules, group in alike.items())
    batch = await batches.open_batch(transaction, tenant, total=total, webhook_url=webhook_url, now=now, is_audit=True)
    accepted: list[Classification] = []
    for schedules, group in alike.items():
        terms = ClassificationOptions(schedules, webhook_url, batch.id)
        accepted += await classifications.accept(transaction, tenant, group, terms, now=now)
    return batch, accepted


async def totals(transaction: Transaction, tenant: Tenant, batch_id: str | None = None) -> AuditTotals:
    """The totals of a tenant's batch, or of everything it has compared."""
    return await store.totals(transaction, tenant, batch_id)


async def riskiest(transaction: Transaction, tenant: Tenant, *, limit: int, offset: int = 0) -> list[Classification]:
    """A tenant's compared classifications, most at stake first."""
    wanted = await store.riskiest(transaction, tenant, limit=limit, offset=offset)
    found = await classifications.get_all(transaction, tenant, wanted)
    return [found[one] for one in wanted]


def by_risk(found: Sequence[Classification]) -> list[Classification]:
    """Most at stake first, what is not compared yet last."""
    return sorted(found, key=lambda one: -one.filed.priority if one.filed else math.inf)
