"""What holds for all of an organization: from which confidence on its answers need no review, and what is promised of
those that nobody looks at. The trap: an answer that is stored changes with a setting; it keeps what it was."""

from __future__ import annotations

from starlette.responses import Response

from pcs.base.tenancy import Environment, Tenant
from pcs.dashboard.numbers import count, share
from pcs.dashboard.visit import Visit, action, page
from pcs.engine.result import REVIEW_BELOW
from pcs.evaluation.promise import Promise
from pcs.organizations import limits, second_factors
from pcs.organizations import service as organizations
from pcs.organizations.people import Permission
from pcs.promises import service as promises
from pcs.promises.model import DIGITS, PromiseTerms

_PATH = "/dashboard/{environment:environment}/settings/organization"


async def show(visit: Visit) -> Response:
    """The setting, and the form to change it for those who may."""
    async with visit.service.database.begin() as transaction:
        ours = await organizations.get_organization(transaction, visit.tenant.organization_id)
        promise = await promises.find(transaction, visit.tenant)
        spent = await organizations.credits_spent(transaction, Tenant(ours.id, Environment.LIVE))
    written = "" if ours.review_below is None else f"{ours.review_below * 100:g}"
    return visit.render(
        "organization.html",
        ours=ours,
        written=written,
        usual=REVIEW_BELOW,
        promise=promise,
        digits=DIGITS,
        spent=spent,
    )


async def set_review_below(visit: Visit) -> Response:
    """Change it; an empty field follows the service. Raises InvalidRequestError."""
    threshold = share(visit, "review_below")
    async with visit.service.database.begin() as transaction:
        await organizations.set_review_below(transaction, visit.actor, threshold, now=visit.now)
    return visit.go("/settings/organization", done="organization_set")


async def set_credit_limit(visit: Visit) -> Response:
    """Limit what is consumed; an empty field takes the limit away. Raises InvalidRequestError."""
    limit = count(visit, "credit_limit")
    async with visit.service.database.begin() as transaction:
        await limits.set_credit_limit(transaction, visit.actor, limit, now=visit.now)
    return visit.go("/settings/organization", done="limit_set")


async def set_four_eyes(visit: Visit) -> Response:
    """Let reviews take a second person, or not."""
    wanted = visit.text("four_eyes") == "yes"
    async with visit.service.database.begin() as transaction:
        await organizations.set_four_eyes(transaction, visit.actor, wanted=wanted, now=visit.now)
    return visit.go("/settings/organization", done="organization_set")


async def require_second_factor(visit: Visit) -> Response:
    """Ask every member for a second factor from their next sign-in on, or no more."""
    wanted = visit.text("second_factor") == "yes"
    async with visit.service.database.begin() as transaction:
        await second_factors.require(transaction, visit.actor, wanted=wanted, now=visit.now)
    return visit.go("/settings/organization", done="second_factor_required")


async def set_promise(visit: Visit) -> Response:
    """Promise, or promise something else. Raises InvalidRequestError."""
    usual, digits = PromiseTerms(Promise()), visit.text("digits")
    right, asked = share(visit, "right"), share(visit, "asked_share")
    wanted = PromiseTerms(
        Promise(usual.promise.right if right is None else right, int(digits) if digits in map(str, DIGITS) else 0),
        usual.asked_share if asked is None else asked,
    )
    async with visit.service.database.begin() as transaction:
        await promises.put(transaction, visit.tenant, visit.actor, wanted, now=visit.now)
    return visit.go("/settings/organization", done="promise_set")


async def withdraw_promise(visit: Visit) -> Response:
    """Promise nothing any more. Raises NotFoundError."""
    async with visit.service.database.begin() as transaction:
        await promises.withdraw(transaction, visit.tenant, visit.actor, now=visit.now)
    return visit.go("/settings/organization", done="promise_withdrawn")


ROUTES = (
    page(_PATH, show),
    action(_PATH, set_review_below, shown=show, needs=Permission.MANAGE_ORGANIZATION),
    action(f"{_PATH}/credits", set_credit_limit, shown=show, needs=Permission.MANAGE_ORGANIZATION, confirms=True),
    action(f"{_PATH}/four-eyes", set_four_eyes, shown=show, needs=Permission.MANAGE_ORGANIZATION),
    action(
        f"{_PATH}/second-factor",
        require_second_factor,
        shown=show,
        needs=Permission.MANAGE_ORGANIZATION,
        confirms=True,
    ),
    action(f"{_PATH}/promise", set_promise, shown=show, needs=Permission.MANAGE_ORGANIZATION),
    action(f"{_PATH}/promise/withdraw", withdraw_promise, shown=show, needs=Permission.MANAGE_ORGANIZATION),
)
