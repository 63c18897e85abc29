"""What can be done with reviews. The trap: accepting a code that there is not."""

from __future__ import annotations

from pcs.base.database import Transaction
from pcs.base.tenancy import Tenant
from pcs.reviews import store
from pcs.reviews.model import Decision, NotReviewableError, Review


async def put(
    transaction: Transaction, tenant: Tenant, classification_id: str, said: Review, *, has_code: bool
) -> None:
    """Store a review of a final classification in the place of any earlier one. Raises NotReviewableError."""
    if said.decision is Decision.ACCEPTED and not has_code:
        msg = "The classification failed: there is no code to accept."
        raise NotReviewableError(msg)
    await store.put(transaction, tenant, classification_id, said)
