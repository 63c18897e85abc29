"""The second person: a proposed review is sent back, with the reason. The trap: confirming what was changed
meanwhile; confirming is to say the same, so the form carries what the page showed, and the form of reviews serves."""

from __future__ import annotations

from starlette.responses import Response

from pcs.base.errors import InvalidRequestError, Violation
from pcs.classifications import service as classifications
from pcs.dashboard.classifications import ONE, show_one
from pcs.dashboard.visit import Visit, action
from pcs.organizations import audit
from pcs.organizations.people import Action, Permission

_LONGEST = 2_000


async def send_back(visit: Visit) -> Response:
    """Say why it is not confirmed. Raises NotFoundError, InvalidRequestError or NotReviewableError."""
    classification_id = visit.request.path_params["classification_id"]
    reason = visit.line("reason", longest=_LONGEST)
    if not reason:
        raise InvalidRequestError(Violation("reason", "is needed: say what is to be looked at again"))
    async with visit.service.database.begin() as transaction:
        await classifications.send_back(
            transaction, visit.tenant, classification_id, by=visit.member.email, note=reason, now=visit.now
        )
        await audit.record(
            transaction, visit.actor, Action.SENT_BACK, subject=classification_id, detail=reason, now=visit.now
        )
    return visit.go(f"/classifications/{classification_id}", done="sent_back")


ROUTES = (action(f"{ONE}/review/send-back", send_back, shown=show_one, needs=Permission.REVIEW),)
