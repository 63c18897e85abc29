"""All SQL of the audit log. The trap: a log that can be edited; here is only adding and reading."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Table, Text, insert, select, text
from sqlalchemy.engine import RowMapping

from pcs.base.database import MOMENT, Transaction, metadata
from pcs.organizations.people import Actor, AuditEntry

audit_entries = Table(
    "audit_entries",
    metadata,
    Column("id", Text, primary_key=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("member_id", Text),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("created_at", MOMENT, nullable=False),
    Index("audit_entries_by_subject", "organization_id", "subject", "id", postgresql_where=text("subject <> ''")),
)


async def add(transaction: Transaction, entry: AuditEntry) -> None:
    """Write one entry."""
    await transaction.execute(
        insert(audit_entries).values(
            id=entry.id,
            organization_id=entry.actor.organization_id,
            member_id=entry.actor.member_id,
            actor=entry.actor.name,
            action=entry.action,
            subject=entry.subject,
            detail=entry.detail,
            address=entry.actor.address,
            created_at=entry.created_at,
        ),
    )


async def latest(
    transaction: Transaction, organization_id: str, *, before: str | None, limit: int, member_id: str | None = None
) -> list[AuditEntry]:
    """Entries, newest first, from the one before `before` on."""
    query = select(audit_entries).where(audit_entries.c.organization_id == organization_id)
    if before is not None:
        query = query.where(audit_entries.c.id < before)
    if member_id is not None:
        query = query.where(audit_entries.c.member_id == member_id)
    rows = (await transaction.execute(query.order_by(audit_entries.c.id.desc()).limit(limit))).mappings()
    return list(map(_entry, rows))


async def of_subject(transaction: Transaction, organization_id: str, subject: str) -> list[AuditEntry]:
    """Entries on one thing, oldest first."""
    whose = (audit_entries.c.organization_id == organization_id, audit_entries.c.subject == subject)
    rows = (await transaction.execute(select(audit_entries).where(*whose).order_by(audit_entries.c.id))).mappings()
    return list(map(_entry, rows))


def _entry(row: RowMapping) -> AuditEntry:
    return AuditEntry(
        id=row["id"],
        actor=Actor(row["organization_id"], row["member_id"], row["actor"], row["address"]),
        action=row["action"],
        subject=row["subject"],
        detail=row["detail"],
        created_at=row["created_at"],
    )
