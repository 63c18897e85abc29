"""The second step of a sign-in: the code of an authenticator app, or setting one up where the organization asks for it.

The trap: a first step that outlives its password; what the browser carries between the two is bound to it."""

from __future__ import annotations

import datetime as dt
import hmac
import secrets as randomness

from starlette.responses import RedirectResponse, Response

from pcs.base.database import Transaction
from pcs.base.errors import InvalidRequestError
from pcs.dashboard.carried import carried, carry
from pcs.dashboard.entering import begin_session
from pcs.dashboard.factor_forms import draft_shown, given_code, given_secret
from pcs.dashboard.security import STEP_COOKIE, drop_cookie
from pcs.dashboard.visit import ROOT, Visit, action, page, remember_browser
from pcs.organizations import audit, guesses, members, second_factors, shown_once
from pcs.organizations.people import Action, Actor, Member

_PATH = "/dashboard/sign-in/code"


async def admit(visit: Visit, member: Member, *, next_page: str = "", proven_at: dt.datetime | None = None) -> Response:
    """Let in somebody who proved who they are; those with a second factor, or in need of one, after another step.

    `proven_at` is when they gave their password elsewhere, now if left out.
    """
    async with visit.service.database.begin() as transaction:
        asked = await second_factors.is_asked_for(transaction, member)
        bound = await _binding(visit, transaction, member)
    if not asked:
        return await begin_session(visit, member, next_page=next_page, proven_at=proven_at)
    said = {"member": member.id, "organization": member.organization_id, "next": next_page, "bound": bound}
    return carry(visit, RedirectResponse(_PATH, 303), STEP_COOKIE, said)


async def _binding(visit: Visit, transaction: Transaction, member: Member) -> str:
    _, stored = await members.get(transaction, member.organization_id, member.id)
    return visit.service.secrets.digest(f"first step {stored}").hex()


async def _half_way(visit: Visit, transaction: Transaction) -> Member | None:
    """Who took the first step, less than ten minutes ago, with the password that still holds."""
    said = carried(visit, STEP_COOKIE)
    if not said:
        return None
    member, _ = await members.get(transaction, said["organization"], said["member"])
    still = hmac.compare_digest(await _binding(visit, transaction, member), said["bound"])
    return member if still and member.disabled_at is None else None


async def show(visit: Visit) -> Response:
    """The form for the code, with what to put into an app where there is no factor yet."""
    async with visit.service.database.begin() as transaction:
        member = await _half_way(visit, transaction)
        if member is None:
            return _begin_again()
        known = await second_factors.has(transaction, member)
    visit.browser = visit.browser or randomness.token_urlsafe(32)
    drafted = {} if known else draft_shown(visit, member)
    return remember_browser(visit, visit.render("second_step.html", member=member, known=known, **drafted))


def _begin_again() -> Response:
    response = RedirectResponse(f"{ROOT}/sign-in?done=too_late", 303)
    drop_cookie(response, STEP_COOKIE)
    return response


async def take(visit: Visit) -> Response:
    """Sign in with a code. Raises InvalidRequestError or ThrottledError."""
    async with visit.service.database.begin() as transaction:
        member = await _half_way(visit, transaction)
    if member is None:
        return _begin_again()
    guess = guesses.of_code(member.id)
    async with visit.service.database.begin() as transaction:
        await guesses.count(transaction, guess, now=visit.now)
    try:
        codes = await _checked(visit, member)
    except InvalidRequestError:
        await _write_down(visit, member)
        raise
    async with visit.service.database.begin() as transaction:
        await guesses.forgive(transaction, guess)
    return await _enter(visit, member, codes)


async def _checked(visit: Visit, member: Member) -> list[str]:
    """The recovery codes of a factor that was just set up; none where there was one, and its code is right."""
    actor, secrets, code = _actor(visit, member), visit.service.secrets, given_code(visit)
    async with visit.service.database.begin() as transaction:
        if await second_factors.has(transaction, member):
            await second_factors.check(transaction, actor, member, secrets, code=code, now=visit.now)
            return []
        return await second_factors.set_up(
            transaction, actor, member, secrets, secret=given_secret(visit, member), code=code, now=visit.now
        )


async def _write_down(visit: Visit, member: Member) -> None:
    async with visit.service.database.begin() as transaction:
        detail = "a wrong code of the second factor"
        await audit.record(transaction, _actor(visit, member), Action.SIGN_IN_FAILED, detail=detail, now=visit.now)


def _actor(visit: Visit, member: Member) -> Actor:
    return Actor(member.organization_id, None, member.email, visit.origin.address)


async def _enter(visit: Visit, member: Member, codes: list[str]) -> Response:
    shown_at = f"{ROOT}/live/account/second-factor"
    wanted = shown_at if codes else carried(visit, STEP_COOKIE)["next"]
    response = await begin_session(visit, member, next_page=wanted)
    drop_cookie(response, STEP_COOKIE)
    if codes:
        said, secrets = {"codes": " ".join(codes)}, visit.service.secrets
        async with visit.service.database.begin() as transaction:
            await shown_once.leave(transaction, visit.signed_in, shown_at, said, secrets, now=visit.now)
    return response


ROUTES = (
    page(_PATH, show, needs=None),
    action(_PATH, take, shown=show, needs=None),
)
