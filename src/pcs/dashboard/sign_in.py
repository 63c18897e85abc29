"""Signing in and out, and one-time links. The trap: an answer that tells whether an address is known."""

from __future__ import annotations

import secrets
from typing import NoReturn

from starlette.responses import RedirectResponse, Response

from pcs.base.errors import InvalidRequestError, Violation
from pcs.dashboard.entering import known_in
from pcs.dashboard.second_step import admit
from pcs.dashboard.security import SESSION_COOKIE, drop_cookie
from pcs.dashboard.visit import ROOT, Visit, action, page, remember_browser
from pcs.organizations import audit, guesses, members, sessions
from pcs.organizations.members import Newcomer
from pcs.organizations.people import Action, Actor, Invitation, Member, Purpose, SignInRefusedError

_LONGEST_NAME = 100


async def home(visit: Visit) -> Response:
    """Where the bare address leads."""
    return RedirectResponse(f"{ROOT}/live" if visit.session else f"{ROOT}/sign-in", 303)


async def show(visit: Visit) -> Response:
    """The sign-in form."""
    if visit.session is not None:
        return RedirectResponse(f"{ROOT}/live", 303)
    visit.browser = visit.browser or secrets.token_urlsafe(32)
    return remember_browser(visit, visit.render("sign_in.html", next=visit.asked("next") or visit.text("next")))


async def sign_in(visit: Visit) -> Response:
    """Begin a session. Raises SignInRefusedError or ThrottledError."""
    if visit.service.settings.oidc_only:
        msg = "Passwords let nobody in here: sign in with your company's account."
        raise SignInRefusedError(msg)
    email, password = visit.line("email", longest=254), visit.text("password")
    async with visit.service.database.begin() as transaction:
        found = await members.find_by_email(transaction, email)
        guess = guesses.at_sign_in(
            email=email, address=visit.origin.address, browser=known_in(visit, found[0]) if found else None
        )
        await guesses.count(transaction, guess, now=visit.now)
    right = await visit.dashboard.hasher.matches(found[1] if found else None, password)
    if not right or found is None or found[0].disabled_at is not None:
        await _refuse(visit, found[0] if found else None)
    async with visit.service.database.begin() as transaction:
        await guesses.forgive(transaction, guess)
    return await admit(visit, found[0], next_page=visit.text("next"))


async def _refuse(visit: Visit, member: Member | None) -> NoReturn:
    if member is not None:
        async with visit.service.database.begin() as transaction:
            actor = Actor(member.organization_id, None, member.email, visit.origin.address)
            await audit.record(transaction, actor, Action.SIGN_IN_FAILED, now=visit.now)
    msg = "That e-mail address and password do not go together."
    raise SignInRefusedError(msg)


async def sign_out(visit: Visit) -> Response:
    """End this session."""
    async with visit.service.database.begin() as transaction:
        await sessions.end(transaction, visit.member.id, visit.signed_in.id)
        await audit.record(transaction, visit.actor, Action.SIGNED_OUT, now=visit.now)
    response = RedirectResponse(f"{ROOT}/sign-in?done=signed_out", 303)
    drop_cookie(response, SESSION_COOKIE)
    return response


async def welcome(visit: Visit) -> Response:
    """The page that a one-time link leads to."""
    visit.browser = visit.browser or secrets.token_urlsafe(32)
    token = visit.asked("token") or visit.text("token")
    invitation = await _invitation(visit, token) if token else None
    response = visit.render("welcome.html", invitation=invitation, link_token=token, purposes=Purpose)
    return remember_browser(visit, response)


async def _invitation(visit: Visit, token: str) -> Invitation:
    async with visit.service.database.begin() as transaction:
        return await members.find_invitation(transaction, token, visit.service.secrets, now=visit.now)


async def accept(visit: Visit) -> Response:
    """Use a one-time link, and sign in. Raises NotFoundError or InvalidRequestError."""
    token, now = visit.text("token").strip(), visit.now
    await _invitation(visit, token)
    newcomer = await _newcomer(visit)
    async with visit.service.database.begin() as transaction:
        invitation = await members.find_invitation(transaction, token, visit.service.secrets, now=now)
        member = await members.accept(transaction, invitation, newcomer, now=now)
        reset = invitation.purpose is Purpose.PASSWORD_RESET
        actor = Actor(member.organization_id, member.id, member.email, visit.origin.address)
        done = Action.PASSWORD_CHANGED if reset else Action.MEMBER_JOINED
        await audit.record(transaction, actor, done, detail=member.role, now=now)
    return await admit(visit, member)


async def _newcomer(visit: Visit) -> Newcomer:
    name, organization = (visit.line(field, longest=_LONGEST_NAME) for field in ("name", "organization"))
    password = members.checked_password(visit.text("password"), field="password")
    if password != visit.text("password_again"):
        raise InvalidRequestError(Violation("password_again", "must be the same as the password before it"))
    hashed = await visit.dashboard.hasher.hashed(password)
    return Newcomer(visit.text("email"), name, hashed, organization)


ROUTES = (
    page("/dashboard", home, needs=None),
    page("/dashboard/sign-in", show, needs=None),
    action("/dashboard/sign-in", sign_in, shown=show, needs=None),
    action("/dashboard/sign-out", sign_out, shown=home),
    page("/dashboard/welcome", welcome, needs=None),
    action("/dashboard/welcome", accept, shown=welcome, needs=None),
)
