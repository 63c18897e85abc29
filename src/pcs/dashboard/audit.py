"""The audit log. The trap: a log that members can read but nobody asked them to; it is for owners and admins."""

from __future__ import annotations

from starlette.responses import Response

from pcs.dashboard.visit import Visit, page
from pcs.organizations import audit
from pcs.organizations.people import Action, Permission


async def show(visit: Visit) -> Response:
    """Entries, newest first."""
    async with visit.service.database.begin() as transaction:
        before = visit.asked("before") or None
        entries, following = await audit.latest(transaction, visit.tenant.organization_id, before=before)
    agents = {Action.SIGNED_IN}  # their detail is what the browser calls itself
    return visit.render("audit.html", entries=entries, agents=agents, following=following, is_first=before is None)


ROUTES = (page("/dashboard/{environment:environment}/settings/audit", show, needs=Permission.READ_AUDIT),)
