"""Members and their roles. The trap: a password that an administrator knows; people set their own through a link that
works once."""

from __future__ import annotations

from starlette.responses import Response

from pcs.base.errors import InvalidRequestError, Violation
from pcs.dashboard.once import go_and_show, left_here
from pcs.dashboard.visit import Guarded, Handler, Visit, action, page
from pcs.organizations import audit, members, second_factors
from pcs.organizations.model import Role
from pcs.organizations.people import Action, Permission

_PATH = "/dashboard/{environment:environment}/settings/members"


async def show(visit: Visit) -> Response:
    """Everybody, open invitations, the form to invite, and once the link just made."""
    async with visit.service.database.begin() as transaction:
        everybody = await members.list_members(transaction, visit.tenant.organization_id)
        invitations = await members.list_invitations(transaction, visit.tenant.organization_id, now=visit.now)
        with_factor = await second_factors.holders(transaction, visit.tenant.organization_id)
        made = await left_here(visit, transaction)
    roles = [role for role in Role if visit.member.may_manage(role)]
    return visit.render(
        "members.html",
        everybody=everybody,
        invitations=invitations,
        roles=roles,
        made=made,
        with_factor=with_factor,
    )


def _link(visit: Visit, token: str) -> str:
    return f"{visit.service.settings.dashboard_url}/welcome?token={token}"


async def invite(visit: Visit) -> Response:
    """Make a link for somebody to join with, which the next page shows once."""
    email, role = visit.text("email").strip(), _role(visit)
    async with visit.service.database.begin() as transaction:
        token = await members.invite(
            transaction, visit.signed_in, visit.service.secrets, email=email, role=role, now=visit.now
        )
        detail = f"{email} as {role}"
        await audit.record(transaction, visit.actor, Action.MEMBER_INVITED, detail=detail, now=visit.now)
        return await go_and_show(visit, transaction, "/settings/members", link=_link(visit, token), email=email)


def _role(visit: Visit) -> Role:
    try:
        return Role(visit.text("role"))
    except ValueError:
        raise InvalidRequestError(Violation("role", "must be one of the choices")) from None


async def withdraw(visit: Visit) -> Response:
    """Let an open invitation work no more."""
    async with visit.service.database.begin() as transaction:
        which = visit.request.path_params["invitation_id"]
        withdrawn = await members.withdraw(transaction, visit.member, which, now=visit.now)
        detail = withdrawn.email or ""
        await audit.record(transaction, visit.actor, Action.INVITATION_WITHDRAWN, detail=detail, now=visit.now)
    return visit.go("/settings/members", done="invitation_withdrawn")


async def give_role(visit: Visit) -> Response:
    """Give somebody another role."""
    member_id = visit.request.path_params["member_id"]
    async with visit.service.database.begin() as transaction:
        changed = await members.change_role(transaction, visit.member, member_id, _role(visit))
        detail = f"{changed.email} is now {changed.role}"
        await audit.record(
            transaction, visit.actor, Action.ROLE_CHANGED, subject=member_id, detail=detail, now=visit.now
        )
    return visit.go("/settings/members", done="role_changed")


async def disable(visit: Visit) -> Response:
    """Let somebody sign in no more."""
    member_id = visit.request.path_params["member_id"]
    async with visit.service.database.begin() as transaction:
        gone = await members.disable(transaction, visit.member, member_id, now=visit.now)
        await audit.record(
            transaction, visit.actor, Action.MEMBER_DISABLED, subject=member_id, detail=gone.email, now=visit.now
        )
    return visit.go("/settings/members", done="member_disabled")


async def enable(visit: Visit) -> Response:
    """Let somebody sign in again."""
    member_id = visit.request.path_params["member_id"]
    async with visit.service.database.begin() as transaction:
        back = await members.enable(transaction, visit.member, member_id)
        await audit.record(
            transaction, visit.actor, Action.MEMBER_ENABLED, subject=member_id, detail=back.email, now=visit.now
        )
    return visit.go("/settings/members", done="member_enabled")


async def offer_reset(visit: Visit) -> Response:
    """Make a link for somebody to set a new password with, which the next page shows once."""
    member_id = visit.request.path_params["member_id"]
    async with visit.service.database.begin() as transaction:
        member, token = await members.offer_reset(
            transaction, visit.signed_in, visit.service.secrets, member_id=member_id, now=visit.now
        )
        await audit.record(
            transaction, visit.actor, Action.RESET_OFFERED, subject=member_id, detail=member.email, now=visit.now
        )
        return await go_and_show(visit, transaction, "/settings/members", link=_link(visit, token), email=member.email)


async def remove_factor(visit: Visit) -> Response:
    """Remove the second factor of somebody who lost it."""
    member_id = visit.request.path_params["member_id"]
    async with visit.service.database.begin() as transaction:
        await second_factors.remove_of(transaction, visit.actor, visit.member, member_id, now=visit.now)
    return visit.go("/settings/members", done="factor_removed")


def _manage(path: str, act: Handler) -> Guarded:
    return action(f"{_PATH}{path}", act, shown=show, needs=Permission.MANAGE_MEMBERS, confirms=True)


ROUTES = (
    page(_PATH, show),
    _manage("", invite),
    _manage("/invitations/{invitation_id}/withdraw", withdraw),
    _manage("/{member_id}/role", give_role),
    _manage("/{member_id}/disable", disable),
    _manage("/{member_id}/enable", enable),
    _manage("/{member_id}/password", offer_reset),
    _manage("/{member_id}/second-factor", remove_factor),
)
