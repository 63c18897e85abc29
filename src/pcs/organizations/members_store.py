"""All SQL of members and invitations. The trap: an invitation that two browsers use at once; using it
is one UPDATE with its condition."""

from __future__ import annotations

import datetime as dt
from typing import Any

from sqlalchemy import (
    Column,
    ForeignKey,
    LargeBinary,
    RowMapping,
    Table,
    Text,
    exists,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert as upsert

from pcs.base.database import MOMENT, Transaction, metadata
from pcs.organizations.model import Organization, Role
from pcs.organizations.people import Invitation, Member, Purpose
from pcs.organizations.sessions_store import sessions
from pcs.organizations.store import members, organizations

invitations = Table(
    "invitations",
    metadata,
    Column("id", Text, primary_key=True),
    Column("digest", LargeBinary, nullable=False, unique=True),
    Column("organization_id", ForeignKey("organizations.id"), nullable=False),
    Column("purpose", Text, nullable=False),
    Column("email", Text),
    Column("role", Text, nullable=False),
    Column("member_id", ForeignKey("members.id")),
    Column("created_at", MOMENT, nullable=False),
    Column("expires_at", MOMENT, nullable=False),
    Column("used_at", MOMENT),
)


async def find_by_email(transaction: Transaction, email: str) -> tuple[Member, str] | None:
    """The member with this address and the hash of the password."""
    query = select(members).where(func.lower(members.c.email) == email.lower())
    row = (await transaction.execute(query)).mappings().one_or_none()
    return None if row is None else (_member(row), row["password_hash"])


async def get(transaction: Transaction, organization_id: str, member_id: str) -> tuple[Member, str] | None:
    """A member of this organization and the hash of the password; nobody changes them before the transaction ends."""
    query = select(members).where(members.c.organization_id == organization_id, members.c.id == member_id)
    row = (await transaction.execute(query.with_for_update())).mappings().one_or_none()
    return None if row is None else (_member(row), row["password_hash"])


async def list_members(transaction: Transaction, organization_id: str) -> list[Member]:
    """Everybody, oldest first, with the time they were seen last."""
    seen = select(func.max(sessions.c.last_seen_at)).where(sessions.c.member_id == members.c.id).scalar_subquery()
    query = select(members, seen.label("last_seen_at")).where(members.c.organization_id == organization_id)
    rows = (await transaction.execute(query.order_by(members.c.id))).mappings()
    return [_member(row) for row in rows]


async def count_owners(transaction: Transaction, organization_id: str) -> int:
    """How many owners may sign in; further changes of owners wait until the transaction ends."""
    await transaction.execute(select(organizations.c.id).where(organizations.c.id == organization_id).with_for_update())
    query = select(func.count()).where(
        members.c.organization_id == organization_id, members.c.role == Role.OWNER, members.c.disabled_at.is_(None)
    )
    counted: int = (await transaction.execute(query)).scalar_one()
    return counted


async def change(transaction: Transaction, member_id: str, **values: str | dt.datetime | None) -> None:
    """Change a member's row."""
    await transaction.execute(update(members).where(members.c.id == member_id).values(**values))


async def organization(transaction: Transaction, organization_id: str) -> Organization:
    """An organization that exists."""
    row = (await transaction.execute(select(organizations).where(organizations.c.id == organization_id))).mappings()
    return Organization(**row.one())


async def rename_organization(transaction: Transaction, organization_id: str, name: str) -> None:
    """Give an organization another name."""
    await transaction.execute(update(organizations).where(organizations.c.id == organization_id).values(name=name))


async def add_invitation(transaction: Transaction, invitation: Invitation, digest: bytes) -> None:
    """Store a new one-time link."""
    await transaction.execute(
        insert(invitations).values(
            id=invitation.id,
            digest=digest,
            organization_id=invitation.organization.id,
            purpose=invitation.purpose,
            email=invitation.email,
            role=invitation.role,
            member_id=invitation.member_id,
            created_at=invitation.created_at,
            expires_at=invitation.expires_at,
        ),
    )


async def find_invitation(transaction: Transaction, digest: bytes, *, now: dt.datetime) -> Invitation | None:
    """The open one-time link with this digest; nobody else uses it before the transaction ends."""
    query = _open_invitations(now).where(invitations.c.digest == digest).with_for_update(of=invitations)
    row = (await transaction.execute(query)).mappings().one_or_none()
    return None if row is None else _invitation(row)


async def find_invitation_to(transaction: Transaction, email: str, *, now: dt.datetime) -> Invitation | None:
    """The latest open invitation to an address; nobody else uses it before the transaction ends."""
    query = _open_invitations(now).where(
        invitations.c.purpose == Purpose.INVITATION, func.lower(invitations.c.email) == email.lower()
    )
    latest = query.order_by(invitations.c.id.desc()).limit(1).with_for_update(of=invitations)
    row = (await transaction.execute(latest)).mappings().one_or_none()
    return None if row is None else _invitation(row)


async def list_invitations(transaction: Transaction, organization_id: str, *, now: dt.datetime) -> list[Invitation]:
    """The open invitations of an organization to those who are no members yet by whatever way, newest first."""
    is_member = exists().where(func.lower(members.c.email) == func.lower(invitations.c.email))
    query = _open_invitations(now).where(
        invitations.c.organization_id == organization_id, invitations.c.purpose == Purpose.INVITATION, ~is_member
    )
    rows = (await transaction.execute(query.order_by(invitations.c.id.desc()))).mappings()
    return [_invitation(row) for row in rows]


def _open_invitations(now: dt.datetime) -> Any:  # noqa: ANN401 (SQLAlchemy's own type for a query)
    return (
        select(
            invitations,
            organizations.c.name.label("organization_name"),
            organizations.c.credit_limit,
            organizations.c.review_below,
            organizations.c.created_at.label("organization_created_at"),
        )
        .join(organizations)
        .where(invitations.c.used_at.is_(None), invitations.c.expires_at > now)
    )


async def close_invitation(transaction: Transaction, invitation_id: str, *, now: dt.datetime) -> None:
    """Let a one-time link work no more."""
    await transaction.execute(update(invitations).where(invitations.c.id == invitation_id).values(used_at=now))


async def close_invitations_to(transaction: Transaction, organization_id: str, email: str, *, now: dt.datetime) -> None:
    """Let no earlier invitation of an organization to an e-mail address work any more."""
    query = update(invitations).where(
        invitations.c.organization_id == organization_id,
        invitations.c.purpose == Purpose.INVITATION,
        invitations.c.used_at.is_(None),
        func.lower(invitations.c.email) == email.lower(),
    )
    await transaction.execute(query.values(used_at=now))


async def close_links_of(transaction: Transaction, member_id: str, *, now: dt.datetime) -> None:
    """Let no password link of a member work any more."""
    query = update(invitations).where(invitations.c.member_id == member_id, invitations.c.used_at.is_(None))
    await transaction.execute(query.values(used_at=now))


async def add_member(transaction: Transaction, member: Member, password_hash: str) -> bool:
    """Store a member; False where the e-mail address is taken."""
    values = {
        "id": member.id,
        "organization_id": member.organization_id,
        "email": member.email,
        "name": member.name,
        "role": member.role,
        "password_hash": password_hash,
        "created_at": member.created_at,
    }
    query = upsert(members).values(**values).on_conflict_do_nothing().returning(members.c.id)
    return (await transaction.execute(query)).first() is not None


def _member(row: RowMapping) -> Member:
    return Member(
        id=row["id"],
        organization_id=row["organization_id"],
        email=row["email"],
        name=row["name"],
        role=Role(row["role"]),
        created_at=row["created_at"],
        disabled_at=row["disabled_at"],
        last_seen_at=row.get("last_seen_at"),
    )


def _invitation(row: RowMapping) -> Invitation:
    organization = Organization(
        id=row["organization_id"],
        name=row["organization_name"],
        credit_limit=row["credit_limit"],
        created_at=row["organization_created_at"],
        review_below=row["review_below"],
    )
    return Invitation(
        id=row["id"],
        organization=organization,
        purpose=Purpose(row["purpose"]),
        email=row["email"],
        role=Role(row["role"]),
        member_id=row["member_id"],
        created_at=row["created_at"],
        expires_at=row["expires_at"],
    )
