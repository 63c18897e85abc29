"""All SQL of sessions. The trap: a session that outlives its member; each look-up asks whether they are disabled."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import (
    Column,
    ForeignKey,
    LargeBinary,
    RowMapping,
    Table,
    Text,
    delete,
    insert,
    select,
    update,
)

from pcs.base.database import MOMENT, Transaction, metadata
from pcs.organizations.model import Organization, Role
from pcs.organizations.people import Member, Origin, Session
from pcs.organizations.store import members, organizations

sessions = Table(
    "sessions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("member_id", ForeignKey("members.id"), nullable=False),
    Column("created_at", MOMENT, nullable=False),
    Column("last_seen_at", MOMENT, nullable=False),
    Column("confirmed_at", MOMENT, nullable=False),
    Column("address", Text, nullable=False),
    Column("agent", Text, nullable=False),
)

_WHOLE = (
    select(
        sessions,
        members.c.organization_id,
        members.c.email,
        members.c.name,
        members.c.role,
        members.c.created_at.label("member_created_at"),
        organizations.c.name.label("organization_name"),
        organizations.c.credit_limit,
        organizations.c.review_below,
        organizations.c.created_at.label("organization_created_at"),
    )
    .join(members, members.c.id == sessions.c.member_id)
    .join(organizations, organizations.c.id == members.c.organization_id)
    .where(members.c.disabled_at.is_(None))
)


async def add(transaction: Transaction, session: Session, digest: bytes) -> None:
    """Store a new session."""
    await transaction.execute(
        insert(sessions).values(
            id=session.id,
            digest=digest,
            member_id=session.member.id,
            created_at=session.created_at,
            last_seen_at=session.last_seen_at,
            confirmed_at=session.confirmed_at,
            address=session.origin.address,
            agent=session.origin.agent,
        ),
    )


async def find(transaction: Transaction, digest: bytes) -> Session | None:
    """The session with this digest, of a member who is not disabled."""
    row = (await transaction.execute(_WHOLE.where(sessions.c.digest == digest))).mappings().one_or_none()
    return None if row is None else _session(row)


async def list_of(transaction: Transaction, member_id: str) -> list[Session]:
    """A member's sessions, the one used last first."""
    query = _WHOLE.where(sessions.c.member_id == member_id).order_by(sessions.c.last_seen_at.desc())
    return [_session(row) for row in (await transaction.execute(query)).mappings()]


async def change(transaction: Transaction, session_id: str, **values: dt.datetime) -> None:
    """Change a session's times."""
    await transaction.execute(update(sessions).where(sessions.c.id == session_id).values(**values))


async def end(transaction: Transaction, member_id: str, session_id: str) -> bool:
    """End one session of a member; False where there is no such session."""
    query = delete(sessions).where(sessions.c.member_id == member_id, sessions.c.id == session_id)
    return (await transaction.execute(query)).rowcount == 1


async def end_all(transaction: Transaction, member_id: str, *, but: str | None = None) -> int:
    """End a member's sessions, all or all but one; answers how many."""
    query = delete(sessions).where(sessions.c.member_id == member_id)
    if but is not None:
        query = query.where(sessions.c.id != but)
    return (await transaction.execute(query)).rowcount


async def forget(transaction: Transaction, *, idle_since: dt.datetime, begun_before: dt.datetime) -> None:
    """Drop sessions that are over."""
    over = (sessions.c.last_seen_at < idle_since) | (sessions.c.created_at < begun_before)
    await transaction.execute(delete(sessions).where(over))


def _session(row: RowMapping) -> Session:
    member = Member(
        id=row["member_id"],
        organization_id=row["organization_id"],
        email=row["email"],
        name=row["name"],
        role=Role(row["role"]),
        created_at=row["member_created_at"],
    )
    organization = Organization(
        id=row["organization_id"],
        name=row["organization_name"],
        credit_limit=row["credit_limit"],
        created_at=row["organization_created_at"],
        review_below=row["review_below"],
    )
    return Session(
        id=row["id"],
        member=member,
        organization=organization,
        created_at=row["created_at"],
        last_seen_at=row["last_seen_at"],
        confirmed_at=row["confirmed_at"],
        origin=Origin(row["address"], row["agent"]),
    )
