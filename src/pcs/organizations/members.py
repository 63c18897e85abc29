"""What can be done with members: they come by a one-time link, prove who they are, and are given roles.

The traps: an answer that tells whether an address is known, and an organization left without an owner."""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
import secrets as randomness
from dataclasses import dataclass

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.errors import InvalidRequestError, NotFoundError, Violation
from pcs.base.secrets import Secrets
from pcs.organizations import members_store as store
from pcs.organizations import sessions
from pcs.organizations.model import Organization, Role
from pcs.organizations.people import (
    INVITATION,
    INVITATION_LASTS,
    PASSWORD_LENGTH,
    Invitation,
    Member,
    NotPermittedError,
    Purpose,
    Session,
)

_EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s]{1,190}")
_EMAIL_LENGTH = 254


@dataclass(frozen=True, slots=True)
class Newcomer:
    """What somebody who follows a one-time link says of themselves. The hash is made before the transaction."""

    email: str
    name: str
    password_hash: str
    organization_name: str = ""


async def find_by_email(transaction: Transaction, email: str) -> tuple[Member, str] | None:
    """The member with this address and the hash of the password."""
    return await store.find_by_email(transaction, email)


async def get(transaction: Transaction, organization_id: str, member_id: str) -> tuple[Member, str]:
    """A member of an organization and the hash of the password. Raises NotFoundError."""
    found = await store.get(transaction, organization_id, member_id) if ids.is_id(ids.MEMBER, member_id) else None
    if found is None:
        msg = "There is no such member."
        raise NotFoundError(msg)
    return found


async def organization_of(transaction: Transaction, member: Member) -> Organization:
    """The organization that a member belongs to."""
    return await store.organization(transaction, member.organization_id)


async def list_members(transaction: Transaction, organization_id: str) -> list[Member]:
    """Everybody, oldest first."""
    return await store.list_members(transaction, organization_id)


async def set_password(transaction: Transaction, member: Member, password_hash: str, *, now: dt.datetime) -> None:
    """Set a new password: every session and password link of the member ends with the old one."""
    await store.change(transaction, member.id, password_hash=password_hash)
    await store.close_links_of(transaction, member.id, now=now)
    await sessions.end_all(transaction, member.id)


async def change_role(transaction: Transaction, by: Member, member_id: str, role: Role) -> Member:
    """Give a member another role. Raises NotPermittedError, also where nobody would be left as owner."""
    member, _ = await get(transaction, by.organization_id, member_id)
    ensure_may_manage(by, member.role, role)
    if member.role is Role.OWNER and role is not Role.OWNER:
        await _ensure_another_owner(transaction, member)
    await store.change(transaction, member.id, role=role)
    return dataclasses.replace(member, role=role)


async def disable(transaction: Transaction, by: Member, member_id: str, *, now: dt.datetime) -> Member:
    """Let a member sign in no more; their sessions end at once. Raises NotPermittedError."""
    member, _ = await get(transaction, by.organization_id, member_id)
    ensure_may_manage(by, member.role)
    if member.id == by.id:
        msg = "You cannot disable yourself."
        raise NotPermittedError(msg)
    if member.role is Role.OWNER:
        await _ensure_another_owner(transaction, member)
    await store.change(transaction, member.id, disabled_at=now)
    await store.close_links_of(transaction, member.id, now=now)
    await sessions.end_all(transaction, member.id)
    return member


async def enable(transaction: Transaction, by: Member, member_id: str) -> Member:
    """Let a disabled member sign in again. Raises NotPermittedError."""
    member, _ = await get(transaction, by.organization_id, member_id)
    ensure_may_manage(by, member.role)
    await store.change(transaction, member.id, disabled_at=None)
    return member


async def invite(
    transaction: Transaction, by: Session, secrets: Secrets, *, email: str, role: Role, now: dt.datetime
) -> str:
    """The token of a link for one person to join with a role; an earlier one to them works no more.

    Raises InvalidRequestError or NotPermittedError.
    """
    ensure_may_manage(by.member, role)
    address = checked_email(email)
    if await store.find_by_email(transaction, address) is not None:
        raise InvalidRequestError(Violation("email", "belongs to a member already"))
    await store.close_invitations_to(transaction, by.organization.id, address, now=now)
    draft = _draft(by.organization, Purpose.INVITATION, now)
    return await _offer(transaction, dataclasses.replace(draft, email=address, role=role), secrets)


async def offer_reset(
    transaction: Transaction, by: Session, secrets: Secrets, *, member_id: str, now: dt.datetime
) -> tuple[Member, str]:
    """A member and the token of a link for them to set a new password. Raises NotPermittedError."""
    member, _ = await get(transaction, by.organization.id, member_id)
    ensure_may_manage(by.member, member.role)
    return member, await offer_password(transaction, member, secrets, now=now)


async def offer_password(transaction: Transaction, member: Member, secrets: Secrets, *, now: dt.datetime) -> str:
    """The token of a link for a member to set a new password with; earlier ones work no more."""
    await store.close_links_of(transaction, member.id, now=now)
    draft = _draft(await organization_of(transaction, member), Purpose.PASSWORD_RESET, now)
    draft = dataclasses.replace(draft, email=member.email, role=member.role, member_id=member.id)
    return await _offer(transaction, draft, secrets)


async def offer_first_administrator(
    transaction: Transaction, organization: Organization, secrets: Secrets, *, now: dt.datetime
) -> str:
    """The token with which somebody becomes the organization's first owner."""
    draft = _draft(organization, Purpose.FIRST_ADMINISTRATOR, now)
    return await _offer(transaction, dataclasses.replace(draft, role=Role.OWNER), secrets)


def _draft(organization: Organization, purpose: Purpose, now: dt.datetime) -> Invitation:
    expires = now + INVITATION_LASTS
    return Invitation(ids.new_id(INVITATION), organization, purpose, None, Role.VIEWER, None, now, expires)


async def _offer(transaction: Transaction, invitation: Invitation, secrets: Secrets) -> str:
    token = randomness.token_urlsafe(24)
    await store.add_invitation(transaction, invitation, _digest(secrets, token))
    return token


async def find_invitation(transaction: Transaction, token: str, secrets: Secrets, *, now: dt.datetime) -> Invitation:
    """The one-time link of a token. Raises NotFoundError where it was used, has expired or never was."""
    found = await store.find_invitation(transaction, _digest(secrets, token), now=now)
    if found is None:
        msg = "This link does not work: it was used, it has expired, or it was cut off when it was copied."
        raise NotFoundError(msg)
    return found


async def list_invitations(transaction: Transaction, organization_id: str, *, now: dt.datetime) -> list[Invitation]:
    """The open invitations of an organization, newest first."""
    return await store.list_invitations(transaction, organization_id, now=now)


async def withdraw(transaction: Transaction, by: Member, invitation_id: str, *, now: dt.datetime) -> Invitation:
    """Let an open invitation work no more. Raises NotFoundError or NotPermittedError."""
    for invitation in await list_invitations(transaction, by.organization_id, now=now):
        if invitation.id == invitation_id:
            ensure_may_manage(by, invitation.role)
            await store.close_invitation(transaction, invitation.id, now=now)
            return invitation
    msg = "There is no such invitation."
    raise NotFoundError(msg)


async def accept(transaction: Transaction, invitation: Invitation, newcomer: Newcomer, *, now: dt.datetime) -> Member:
    """Use a one-time link: become a member, or set a new password. The first administrator names the organization.

    Raises InvalidRequestError.
    """
    await store.close_invitation(transaction, invitation.id, now=now)
    if newcomer.organization_name and invitation.purpose is Purpose.FIRST_ADMINISTRATOR:
        await store.rename_organization(transaction, invitation.organization.id, newcomer.organization_name)
    if invitation.member_id is not None:
        member, _ = await get(transaction, invitation.organization.id, invitation.member_id)
        await set_password(transaction, member, newcomer.password_hash, now=now)
        return member
    member = Member(
        id=ids.new_id(ids.MEMBER),
        organization_id=invitation.organization.id,
        email=invitation.email or checked_email(newcomer.email),
        name=newcomer.name.strip(),
        role=invitation.role,
        created_at=now,
    )
    if not await store.add_member(transaction, member, newcomer.password_hash):
        raise InvalidRequestError(Violation("email", "belongs to a member already"))
    return member


def checked_email(email: str) -> str:
    """An e-mail address without white space around it. Raises InvalidRequestError."""
    stripped = email.strip()
    if len(stripped) > _EMAIL_LENGTH or not _EMAIL.fullmatch(stripped) or not stripped.isprintable():
        raise InvalidRequestError(Violation("email", "must be an e-mail address"))
    return stripped


def checked_password(password: str, *, field: str) -> str:
    """A password that may be used. Raises InvalidRequestError."""
    shortest, longest = PASSWORD_LENGTH
    if not shortest <= len(password) <= longest:
        raise InvalidRequestError(Violation(field, f"must have {shortest} to {longest} characters"))
    if len(set(password)) < shortest // 2:
        raise InvalidRequestError(Violation(field, "is too easy to guess"))
    return password


def ensure_may_manage(by: Member, *roles: Role) -> None:
    """Raise NotPermittedError where the member may not invite, change or disable members with these roles."""
    if not all(by.may_manage(role) for role in roles):
        msg = "Only an owner may do this to an owner."
        raise NotPermittedError(msg)


async def _ensure_another_owner(transaction: Transaction, member: Member) -> None:
    if member.disabled_at is None and await store.count_owners(transaction, member.organization_id) < 2:
        msg = "An organization needs an owner: make somebody else an owner first."
        raise NotPermittedError(msg)


def _digest(secrets: Secrets, token: str) -> bytes:
    return secrets.digest(f"invitation {token}")
