"""Who is to review a classification: a member, by their e-mail address, or nobody.

The trap: work that waits for somebody who may not do it; only members who may review and sign in are assigned any."""

from __future__ import annotations

import dataclasses

from pcs.base.database import Transaction
from pcs.base.errors import InvalidRequestError, Violation
from pcs.base.tenancy import Tenant
from pcs.classifications import service, store
from pcs.classifications.model import Classification
from pcs.organizations import members
from pcs.organizations.people import Member, Permission


async def assign(transaction: Transaction, tenant: Tenant, classification_id: str, email: str | None) -> Classification:
    """Let a member review it, None for nobody in particular. Raises NotFoundError, InvalidRequestError."""
    found = await service.get(transaction, tenant, classification_id)
    if email is not None:
        email = email.lower()
        if email not in {one.email.lower() for one in await reviewers(transaction, tenant)}:
            raise InvalidRequestError(
                Violation("assigned_to", "must be the e-mail address of a member who may review, and sign in")
            )
    await store.assign(transaction, tenant, classification_id, email)
    return dataclasses.replace(found, assigned_to=email)


async def reviewers(transaction: Transaction, tenant: Tenant) -> list[Member]:
    """The members who can be assigned something."""
    everybody = await members.list_members(transaction, tenant.organization_id)
    return [one for one in everybody if one.disabled_at is None and one.may(Permission.REVIEW)]
