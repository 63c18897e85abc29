"""Evidence is gathered here, in one transaction, for one classification or for many."""

from __future__ import annotations

from pcs.base.database import Transaction
from pcs.base.tenancy import Tenant
from pcs.batches import service as batches
from pcs.classifications import service as classifications
from pcs.evidence.record import Gathered
from pcs.organizations import audit
from pcs.organizations import service as organizations


async def gather(transaction: Transaction, tenant: Tenant, classification_id: str) -> Gathered:
    """What the database has of a classification. Raises NotFoundError."""
    one = await classifications.get(transaction, tenant, classification_id)
    organization = await organizations.get_organization(transaction, tenant.organization_id)
    return Gathered(
        organization=organization.name,
        one=one,
        steps=await classifications.get_steps(transaction, tenant, one.id),
        history=await audit.of_subject(transaction, tenant.organization_id, one.id),
        before=await classifications.get(transaction, tenant, one.supersedes) if one.supersedes else None,
    )


async def ids_of_batch(transaction: Transaction, tenant: Tenant, batch_id: str) -> list[str]:
    """The classifications of a batch that are final, in the order in which they were accepted.
    Raises NotFoundError."""
    batch = await batches.get(transaction, tenant, batch_id)
    found = await classifications.of_batch(transaction, tenant, batch.id)
    return [one.id for one in found if one.status.is_final]
