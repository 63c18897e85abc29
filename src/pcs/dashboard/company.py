"""Signing in with the company's account, at its identity provider. The trap: an answer brought by a browser that never
asked; what was asked is carried, sealed, by the one that did."""

from __future__ import annotations

import dataclasses
import datetime as dt

from starlette.responses import RedirectResponse, Response

from pcs.base.errors import NotFoundError
from pcs.dashboard.carried import carried, carry
from pcs.dashboard.entering import own_page
from pcs.dashboard.provider import ANSWERS_AT, Asked, Person, Provider
from pcs.dashboard.second_step import admit
from pcs.dashboard.security import PROVIDER_COOKIE, drop_cookie
from pcs.dashboard.visit import ROOT, Visit, page
from pcs.organizations import company, guesses
from pcs.organizations.company import Rules
from pcs.organizations.people import CONFIRMED

_PATH = "/dashboard/sign-in/company"


def _provider(visit: Visit) -> Provider:
    if visit.dashboard.provider is None:
        msg = "This service has no company accounts: sign in with your password."
        raise NotFoundError(msg)
    return visit.dashboard.provider


async def ask(visit: Visit) -> Response:
    """Send the browser to the provider; with `again`, to prove themselves anew. Raises ProviderError."""
    asked = Asked.new()
    address = await _provider(visit).address(asked, again=visit.asked("again") == "yes", now=visit.now)
    said = {**dataclasses.asdict(asked), "next": own_page(visit.asked("next"))}
    return carry(visit, RedirectResponse(address, 303), PROVIDER_COOKIE, said)


async def answer(visit: Visit) -> Response:
    """Let in who comes back. Raises ProviderError, SignInRefusedError or ThrottledError."""
    said, provider = carried(visit, PROVIDER_COOKIE), _provider(visit)
    if not said:
        return RedirectResponse(f"{ROOT}/sign-in?done=too_late", 303)
    guess, next_page = guesses.at_provider(visit.origin.address), said.pop("next")
    async with visit.service.database.begin() as transaction:
        await guesses.count(transaction, guess, now=visit.now)
    person = await provider.person(Asked(**said), dict(visit.request.query_params), now=visit.now)
    async with visit.service.database.begin() as transaction:
        await guesses.forgive(transaction, guess)
    response = await _admitted(visit, person, next_page)
    drop_cookie(response, PROVIDER_COOKIE)
    return response


async def _admitted(visit: Visit, person: Person, next_page: str) -> Response:
    rules = Rules.of(visit.service.settings)
    async with visit.service.database.begin() as transaction:
        member = await company.member_for(
            transaction, rules, email=person.email, name=person.name, address=visit.origin.address, now=visit.now
        )
    return await admit(visit, member, next_page=next_page, proven_at=person.proven_at or _long_ago(visit))


def _long_ago(visit: Visit) -> dt.datetime:
    """A sign-in that may have asked for nothing counts as no password given just now."""
    return visit.now - CONFIRMED


ROUTES = (
    page(_PATH, ask, needs=None),
    page(f"{ROOT}{ANSWERS_AT}", answer, needs=None),
)
