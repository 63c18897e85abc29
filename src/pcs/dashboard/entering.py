"""How somebody who proved who they are comes in. The traps: a session that was there before the sign-in; a `next` that
leads to another site."""

from __future__ import annotations

import datetime as dt

from starlette.responses import RedirectResponse, Response

from pcs.base.text import shortened
from pcs.dashboard.security import KNOWN_COOKIE, SESSION_COOKIE, known_browser, new_mark, set_cookie
from pcs.dashboard.visit import ROOT, Visit
from pcs.organizations import audit, members, sessions
from pcs.organizations.people import LONGEST, Action, Member

_YEAR = 365 * 24 * 3600


async def begin_session(
    visit: Visit, member: Member, *, next_page: str = "", proven_at: dt.datetime | None = None
) -> Response:
    """A new session in this browser, in the place of any that was there; `proven_at` as in `admit`."""
    async with visit.service.database.begin() as transaction:
        if visit.session is not None:
            await sessions.end(transaction, visit.member.id, visit.session.id)
        organization = await members.organization_of(transaction, member)
        session, token = await sessions.begin(
            transaction, member, organization, visit.service.secrets, origin=visit.origin, now=visit.now
        )
        if proven_at is not None:
            await sessions.confirm(transaction, session, now=proven_at)
        visit.session = session
        await audit.record(
            transaction, visit.actor, Action.SIGNED_IN, detail=shortened(visit.origin.agent, 100), now=visit.now
        )
    response = RedirectResponse(own_page(next_page) or f"{ROOT}/live", 303)
    set_cookie(response, SESSION_COOKIE, token, seconds=int(LONGEST.total_seconds()))
    if known_in(visit, member) is None:
        set_cookie(response, KNOWN_COOKIE, new_mark(visit.service.secrets, member.id), seconds=_YEAR)
    return response


def own_page(address: str) -> str:
    r"""The address if it is a page of ours, nothing otherwise.

    >>> own_page("/dashboard/live/usage"), own_page("//evil.example"), own_page("/dashboard/\\evil")
    ('/dashboard/live/usage', '', '')
    """
    plain = address.startswith(f"{ROOT}/") and "//" not in address and "\\" not in address and address.isprintable()
    return address if plain and ".." not in address else ""


def known_in(visit: Visit, member: Member) -> str | None:
    """The mark that this browser has of the member; None where they have not signed in with it."""
    return known_browser(visit.service.secrets, member.id, visit.request.cookies.get(KNOWN_COOKIE, ""))
