"""What is written down and read again. The trap: a secret in a log; entries name things by id and name only."""

from __future__ import annotations

import datetime as dt

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.organizations import audit_store
from pcs.organizations.people import AUDIT_ENTRY, Action, Actor, AuditEntry


async def record(
    transaction: Transaction, actor: Actor, action: Action, *, subject: str = "", detail: str = "", now: dt.datetime
) -> None:
    """Write down that somebody did something; it stands or falls with the deed's own transaction."""
    entry = AuditEntry(ids.new_id(AUDIT_ENTRY), actor, action, subject, detail, now)
    await audit_store.add(transaction, entry)


async def latest(
    transaction: Transaction, organization_id: str, *, before: str | None = None, limit: int = 50
) -> tuple[list[AuditEntry], str | None]:
    """A page of entries, newest first, and where the next page begins."""
    found = await audit_store.latest(transaction, organization_id, before=before, limit=limit + 1)
    return found[:limit], found[limit - 1].id if len(found) > limit else None


async def of_subject(transaction: Transaction, organization_id: str, subject: str) -> list[AuditEntry]:
    """What was done with one thing, oldest first."""
    return await audit_store.of_subject(transaction, organization_id, subject)
