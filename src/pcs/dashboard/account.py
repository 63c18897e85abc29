"""One's own account: password, sessions, looks. The trap: a changed password that leaves a thief's session alive."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from pcs.base.errors import InvalidRequestError, NotFoundError, Violation
from pcs.dashboard.entering import begin_session, own_page
from pcs.dashboard.security import SESSION_COOKIE, THEME_COOKIE, drop_cookie, set_cookie
from pcs.dashboard.visit import ROOT, THEMES, Visit, action, knows_password, page
from pcs.organizations import audit, members, sessions
from pcs.organizations.people import Action

_PATH = "/dashboard/{environment:environment}/account"
_YEAR = 365 * 24 * 3600


async def show(visit: Visit) -> Response:
    """The account."""
    async with visit.service.database.begin() as transaction:
        open_sessions = await sessions.list_of(transaction, visit.member.id, now=visit.now)
    return visit.render("account.html", sessions=open_sessions)


async def change_password(visit: Visit) -> Response:
    """Set a new password; every other session ends, and this one goes on under a new token."""
    new = members.checked_password(visit.text("password"), field="password")
    if new != visit.text("password_again"):
        raise InvalidRequestError(Violation("password_again", "must be the same as the password before it"))
    if not await knows_password(visit, visit.text("old_password")):  # however fresh the session is
        raise InvalidRequestError(Violation("old_password", "is not right"))
    hashed = await visit.dashboard.hasher.hashed(new)
    async with visit.service.database.begin() as transaction:
        await members.set_password(transaction, visit.member, hashed, now=visit.now)
        await audit.record(transaction, visit.actor, Action.PASSWORD_CHANGED, now=visit.now)
    return await begin_session(visit, visit.member, next_page=f"{visit.base}/account")


async def end_session(visit: Visit) -> Response:
    """End one session. Raises NotFoundError."""
    async with visit.service.database.begin() as transaction:
        if not await sessions.end(transaction, visit.member.id, visit.request.path_params["session_id"]):
            msg = "There is no such session."
            raise NotFoundError(msg)
        await audit.record(transaction, visit.actor, Action.SESSION_ENDED, now=visit.now)
    return visit.go("/account", done="session_ended")


async def sign_out_everywhere(visit: Visit) -> Response:
    """End every session, this one too."""
    async with visit.service.database.begin() as transaction:
        await sessions.end_all(transaction, visit.member.id)
        await audit.record(transaction, visit.actor, Action.SIGNED_OUT_EVERYWHERE, now=visit.now)
    response = RedirectResponse(f"{ROOT}/sign-in?done=signed_out", 303)
    drop_cookie(response, SESSION_COOKIE)
    return response


async def set_theme(visit: Visit) -> Response:
    """Light, dark, or as the system has it."""
    theme = visit.text("theme")
    if theme not in THEMES:
        raise InvalidRequestError(Violation("theme", "must be one of the choices"))
    response = RedirectResponse(own_page(visit.text("next")) or f"{visit.base}/account", 303)
    set_cookie(response, THEME_COOKIE, theme, seconds=_YEAR)
    return response


ROUTES = (
    page(_PATH, show),
    action(f"{_PATH}/password", change_password, shown=show),
    action(f"{_PATH}/sessions/{{session_id}}/end", end_session, shown=show),
    action(f"{_PATH}/sign-out-everywhere", sign_out_everywhere, shown=show),
    action(f"{_PATH}/theme", set_theme, shown=show),
)
