"""Whom a company's identity provider stands for: members, those who were invited, and those of its own domains.

The trap: an address that somebody else may have; only addresses come here that the provider has verified."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.errors import OperatorError
from pcs.base.settings import Settings
from pcs.base.text import shortened
from pcs.organizations import audit, members, members_store, store
from pcs.organizations.model import Role
from pcs.organizations.people import Action, Actor, Invitation, Member, SignInRefusedError

NO_PASSWORD = "none"  # noqa: S105 (not a hash: no password matches)
_LONGEST_NAME = 100
_ROLES = (Role.ADMIN, Role.MEMBER, Role.VIEWER)


@dataclass(frozen=True, slots=True)
class Rules:
    """Who becomes a member without an invitation: addresses of these domains, with this role, of this organization."""

    domains: frozenset[str]
    role: Role
    organization_id: str

    @classmethod
    def of(cls, settings: Settings) -> Rules:
        """As the operator has set them. Raises OperatorError."""
        if settings.oidc_role not in _ROLES:
            msg = f"PCS_OIDC_ROLE={settings.oidc_role!r} is not usable: give {', '.join(_ROLES)}."
            raise OperatorError(msg)
        if settings.oidc_issuer and not settings.oidc_client_id:
            msg = "PCS_OIDC_ISSUER is set without PCS_OIDC_CLIENT_ID: give both."
            raise OperatorError(msg)
        if settings.oidc_only and not settings.oidc_issuer:
            msg = "PCS_OIDC_ONLY is set without PCS_OIDC_ISSUER: nobody could sign in."
            raise OperatorError(msg)
        domains = frozenset(domain.lower().removeprefix("@") for domain in settings.oidc_domains)
        return cls(domains, Role(settings.oidc_role), settings.oidc_organization)


async def member_for(
    transaction: Transaction, rules: Rules, *, email: str, name: str, address: str, now: dt.datetime
) -> Member:
    """The member with a verified e-mail address, made now where they may be. Raises SignInRefusedError."""
    found = await members.find_by_email(transaction, email)
    if found is not None:
        if found[0].disabled_at is not None:
            raise _unknown(email)
        return found[0]
    invitation = await members_store.find_invitation_to(transaction, email, now=now)
    organization_id, role = await _place(transaction, rules, email, invitation)
    member = Member(
        ids.new_id(ids.MEMBER),
        organization_id,
        members.checked_email(email),
        shortened(name.strip(), _LONGEST_NAME),
        role,
        now,
    )
    if not await members_store.add_member(transaction, member, NO_PASSWORD):
        raise _unknown(email)
    if invitation is not None:
        await members_store.close_invitation(transaction, invitation.id, now=now)
    actor = Actor(organization_id, member.id, member.email, address)
    detail = f"{role}, with the company's account"
    await audit.record(transaction, actor, Action.MEMBER_JOINED, subject=member.id, detail=detail, now=now)
    return member


async def _place(transaction: Transaction, rules: Rules, email: str, invitation: Invitation | None) -> tuple[str, Role]:
    if invitation is not None:
        return invitation.organization.id, invitation.role
    if email.rpartition("@")[2].lower() not in rules.domains:
        raise _unknown(email)
    known = [one.id for one in await store.list_organizations(transaction)]
    wanted = [one for one in known if one == rules.organization_id] if rules.organization_id else known
    if len(wanted) != 1:
        raise _unknown(email)
    return wanted[0], rules.role


def _unknown(email: str) -> SignInRefusedError:
    return SignInRefusedError(f"{email} is not a member here: ask an owner or admin for an invitation.")
