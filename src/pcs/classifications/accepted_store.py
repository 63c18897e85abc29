"""The SQL that stores what was accepted, each with its job, in one statement.

The trap: a round trip for how much is ahead, one for the jobs and one for the rows, each waiting for its turn on a busy
machine."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import text

from pcs.base.database import Prepared, Transaction, by_column, unnested
from pcs.base.owned import owned_sql
from pcs.base.queue import Order, deferring, ordered, wake
from pcs.base.tasks import Task
from pcs.base.tenancy import Tenant
from pcs.classifications.model import OPEN, Classification
from pcs.classifications.store import classifications
from pcs.products.store import attributes_document, declared_document, image_urls_document, metadata_document

_AHEAD_AT_MOST = 1_000  # of a tenant, beyond which whoever comes is as late as the thousandth
_BATCH_HANDICAP = 100  # a batch's first goes as late as the hundredth of those asked for one by one

_GIVEN = (
    *("id", "product_id", "batch_id", "schedule", "status", "webhook_url"),
    *("product_name", "product_description", "product_identifier", "product_country_of_origin", "product_language"),
    *("product_declared_codes", "product_attributes", "product_entry_date", "product_image_urls", "metadata"),
    *("supersedes", "created_at"),
)
# the states are written into the statement, as a plan for parameters could not know that their index serves
_AHEAD = f"""
    SELECT count(*) FROM (
        SELECT 1 FROM classifications
         WHERE status IN ({", ".join(f"'{one}'" for one in OPEN)}) AND {owned_sql()}
           AND (batch_id IS NOT NULL) = :in_batch
         LIMIT {_AHEAD_AT_MOST}) ahead
"""  # noqa: S608 (constants)
_ADD = Prepared(
    text(f"""
        WITH job AS ({deferring(_AHEAD)})
        INSERT INTO classifications ({", ".join(_GIVEN)}, {", ".join(Tenant.COLUMNS)}, job_id)
        SELECT {", ".join(f"new.{name}" for name in _GIVEN)}, {", ".join(f":{name}" for name in Tenant.COLUMNS)}, job.id
          FROM {unnested(classifications, _GIVEN)} WITH ORDINALITY AS new ({", ".join(_GIVEN)}, place)
          JOIN job ON job.place = new.place
    """)  # noqa: S608 (names of ours)
)


async def add(
    transaction: Transaction, tenant: Tenant, added: Sequence[Classification], task: Task, *, in_batch: bool
) -> None:
    """Store a tenant's new classifications and queue a job for each.

    The more of a kind an organization has waiting, the later its next goes, so that no heap holds up others, nor what
    its own people ask for one by one; counted to a thousand.
    """
    first = _BATCH_HANDICAP if in_batch else 0
    orders = [Order(one.id, priority=-place) for place, one in enumerate(added, start=first)]
    given = by_column(_rows(added), _GIVEN)
    await _ADD.post(transaction, **tenant.columns, **ordered(task, orders), **given, in_batch=in_batch)
    wake(transaction, task)


def _rows(added: Sequence[Classification]) -> list[dict[str, object]]:
    return [
        {
            "id": one.id,
            "product_id": one.product_id,
            "batch_id": one.batch_id,
            "schedule": one.schedule,
            "status": one.status,
            "product_name": one.goods.name,
            "product_description": one.goods.description,
            "product_identifier": one.goods.identifier,
            "product_country_of_origin": one.goods.country_of_origin,
            "product_language": one.goods.language,
            "product_declared_codes": declared_document(one.goods),
            "product_attributes": attributes_document(one.goods),
            "product_entry_date": one.goods.entry_date,
            "product_image_urls": image_urls_document(one.goods),
            "metadata": metadata_document(one.goods.metadata),
            "supersedes": one.supersedes,
            "webhook_url": one.webhook_url,
            "created_at": one.created_at,
        }
        for one in added
    ]
