"""One's own second factor: set it up, make new recovery codes, remove it. The trap: whoever finds a session open takes
the factor away; that and new codes ask for the password and for a code."""

from __future__ import annotations

from starlette.responses import Response

from pcs.base.database import Transaction
from pcs.dashboard.factor_forms import draft_shown, given_code, given_secret
from pcs.dashboard.once import go_and_show, left_here
from pcs.dashboard.visit import Visit, action, page
from pcs.organizations import guesses, members, second_factors
from pcs.organizations.people import NotPermittedError

_PATH = "/dashboard/{environment:environment}/account/second-factor"
_HERE = "/account/second-factor"


async def show(visit: Visit) -> Response:
    """How it stands, the forms, and once the recovery codes just made."""
    async with visit.service.database.begin() as transaction:
        made = await left_here(visit, transaction)
        known = await second_factors.has(transaction, visit.member)
        left = await second_factors.recovery_codes_left(transaction, visit.member)
        required = (await members.organization_of(transaction, visit.member)).second_factor
    drafted = {} if known else draft_shown(visit, visit.member)
    codes = made.get("codes", "").split()
    return visit.render("second_factor.html", known=known, left=left, required=required, codes=codes, **drafted)


async def set_up(visit: Visit) -> Response:
    """Keep the factor whose code was given. Raises InvalidRequestError or FactorExistsError."""
    secret, code = given_secret(visit, visit.member), given_code(visit)
    async with visit.service.database.begin() as transaction:
        codes = await second_factors.set_up(
            transaction, visit.actor, visit.member, visit.service.secrets, secret=secret, code=code, now=visit.now
        )
        return await _shown(visit, transaction, codes)


async def make_codes(visit: Visit) -> Response:
    """Make new recovery codes. Raises InvalidRequestError or ThrottledError."""
    await _count(visit)
    async with visit.service.database.begin() as transaction:
        await _check(visit, transaction)
        codes = await second_factors.make_recovery_codes(
            transaction, visit.actor, visit.member, visit.service.secrets, now=visit.now
        )
        return await _shown(visit, transaction, codes)


async def remove(visit: Visit) -> Response:
    """Sign in by the password alone again. Raises InvalidRequestError, NotPermittedError or ThrottledError."""
    await _count(visit)
    async with visit.service.database.begin() as transaction:
        if (await members.organization_of(transaction, visit.member)).second_factor:
            msg = "Your organization asks every member for a second factor. An owner or admin can remove a lost one."
            raise NotPermittedError(msg)
        await _check(visit, transaction)
        await second_factors.remove(transaction, visit.actor, visit.member, now=visit.now)
        await guesses.forgive(transaction, guesses.of_code(visit.member.id))
    return visit.go(_HERE, done="second_factor_removed")


async def _count(visit: Visit) -> None:
    async with visit.service.database.begin() as transaction:
        await guesses.count(transaction, guesses.of_code(visit.member.id), now=visit.now)


async def _check(visit: Visit, transaction: Transaction) -> None:
    code, secrets = given_code(visit), visit.service.secrets
    await second_factors.check(transaction, visit.actor, visit.member, secrets, code=code, now=visit.now)


async def _shown(visit: Visit, transaction: Transaction, codes: list[str]) -> Response:
    await guesses.forgive(transaction, guesses.of_code(visit.member.id))
    return await go_and_show(visit, transaction, _HERE, codes=" ".join(codes))


ROUTES = (
    page(_PATH, show),
    action(_PATH, set_up, shown=show, confirms=True),
    action(f"{_PATH}/codes", make_codes, shown=show, confirms=True),
    action(f"{_PATH}/remove", remove, shown=show, confirms=True),
)
