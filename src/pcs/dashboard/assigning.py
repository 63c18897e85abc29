"""Who is to review a classification. The trap: a name that nobody has; only the members offered are taken."""

from __future__ import annotations

from starlette.responses import Response

from pcs.classifications import assigning
from pcs.dashboard.classifications import ONE, show_one
from pcs.dashboard.visit import Visit, action
from pcs.organizations import audit
from pcs.organizations.people import Action, Permission

_LONGEST = 254


async def assign(visit: Visit) -> Response:
    """Assign it to a member, or to nobody. Raises NotFoundError, InvalidRequestError."""
    classification_id = visit.request.path_params["classification_id"]
    email = visit.line("assigned_to", longest=_LONGEST) or None
    async with visit.service.database.begin() as transaction:
        found = await assigning.assign(transaction, visit.tenant, classification_id, email)
        detail = f"to {found.assigned_to or 'nobody'}"
        await audit.record(
            transaction, visit.actor, Action.ASSIGNED, subject=classification_id, detail=detail, now=visit.now
        )
    return visit.go(f"/classifications/{classification_id}", done="assigned")


ROUTES = (action(f"{ONE}/assignment", assign, shown=show_one, needs=Permission.REVIEW),)
