"""Filed codes beside those found: totals, and what is most at stake first. The trap: a page number that somebody typed;
what is no number of a page is the first one."""

from __future__ import annotations

from starlette.responses import Response

from pcs.audits import service as audits
from pcs.dashboard.visit import Visit, page
from pcs.engine.filed.comparison import Agreement

_A_PAGE = 50
_LAST_PAGE = 200
_LABELS = {
    Agreement.AGREES: "Agree",
    Agreement.AGREES_IN_PART: "Agree in part",
    Agreement.DIFFERS: "Differ",
    Agreement.SUPERSEDED: "Superseded",
    Agreement.NO_SUCH_LINE: "No such line",
    Agreement.NOT_COMPARED: "Not compared",
}


async def show(visit: Visit) -> Response:
    """The totals and a page of the list."""
    asked = visit.asked("page")
    number = min(int(asked), _LAST_PAGE) if asked.isascii() and asked.isdigit() and len(asked) < 6 else 1
    start = max(number - 1, 0) * _A_PAGE
    async with visit.service.database.begin() as transaction:
        totals = await audits.totals(transaction, visit.tenant)
        found = await audits.riskiest(transaction, visit.tenant, limit=_A_PAGE, offset=start)
    return visit.render(
        "filed.html",
        totals=totals,
        counts=[(label, totals.agreements.get(agreement, 0)) for agreement, label in _LABELS.items()],
        found=found,
        number=max(number, 1),
        is_last=start + _A_PAGE >= min(totals.compared, _LAST_PAGE * _A_PAGE),
    )


ROUTES = (page("/dashboard/{environment:environment}/filed", show),)
