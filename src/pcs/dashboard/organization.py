"""What holds for all of an organization: from which confidence on its answers need no review. The trap: an answer that
is stored changes with the setting; it keeps what it was, and only what is classified from then on follows."""

from __future__ import annotations

from starlette.responses import Response

from pcs.base.errors import InvalidRequestError, Violation
from pcs.dashboard.visit import Visit, action, page
from pcs.engine.result import REVIEW_BELOW
from pcs.organizations import service as organizations
from pcs.organizations.people import Permission

_PATH = "/dashboard/{environment:environment}/settings/organization"
_LONGEST = 20


async def show(visit: Visit) -> Response:
    """The setting, and the form to change it for those who may."""
    async with visit.service.database.begin() as transaction:
        ours = await organizations.get_organization(transaction, visit.tenant.organization_id)
    written = "" if ours.review_below is None else f"{ours.review_below * 100:g}"
    return visit.render("organization.html", ours=ours, written=written, usual=REVIEW_BELOW)


async def set_review_below(visit: Visit) -> Response:
    """Change it; an empty field follows the service. Raises InvalidRequestError."""
    threshold = _threshold(visit.line("review_below", longest=_LONGEST))
    async with visit.service.database.begin() as transaction:
        await organizations.set_review_below(transaction, visit.actor, threshold, now=visit.now)
    return visit.go("/settings/organization", done="organization_set")


def _threshold(written: str) -> float | None:
    """A percentage as people write it, as a share.

    >>> _threshold("62,5 %"), _threshold("")
    (0.625, None)
    """
    plain = written.removesuffix("%").strip().replace(",", ".")
    if not plain:
        return None
    try:
        share = float(plain) / 100
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise InvalidRequestError(Violation("review_below", "must be a percentage between 0 and 100"))
    return share


ROUTES = (
    page(_PATH, show),
    action(_PATH, set_review_below, shown=show, needs=Permission.MANAGE_ORGANIZATION),
)
