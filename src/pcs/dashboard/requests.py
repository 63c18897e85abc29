"""Settings, Requests: what came in over the API and how it was answered, to find out why something was refused.

The trap: bodies that a viewer may read in one place and not in another; whoever may look at goods may look at these."""

from __future__ import annotations

import datetime as dt
import json
from urllib.parse import urlencode

from starlette.responses import Response

from pcs.base.paging import Slice
from pcs.dashboard.visit import Visit, page
from pcs.organizations import service as organizations
from pcs.requests import service as requests
from pcs.requests.model import RequestFilters

_PATH = "/dashboard/{environment:environment}/settings/requests"
_METHODS = ("GET", "POST", "PUT", "DELETE")
_STATUSES = {"2xx": "Successful", "4xx": "Refused", "5xx": "Faults"}
_PERIODS = {"hour": ("Last hour", dt.timedelta(hours=1)), "day": ("Last day", dt.timedelta(days=1))}
_ASKED = ("key", "method", "status", "path", "period")
_AT_A_TIME = 50


async def show(visit: Visit) -> Response:
    """The log, as the address asks for it."""
    wanted = Slice(_AT_A_TIME, visit.asked("after") or None)
    async with visit.service.database.begin() as transaction:
        found = await requests.list_page(transaction, visit.tenant, _filters(visit), wanted)
        keys = await organizations.list_keys(transaction, visit.tenant.organization_id)
    kept = {name: visit.asked(name) for name in _ASKED if visit.asked(name)}
    return visit.render(
        "requests.html",
        found=found.items,
        following=urlencode({**kept, "after": found.next_after}) if found.next_after else None,
        first=urlencode(kept) if wanted.after else None,
        filtered=bool(kept),
        keys=[key for key in reversed(keys) if key.tenant == visit.tenant],
        methods=_METHODS,
        statuses=_STATUSES,
        periods={name: words for name, (words, _) in _PERIODS.items()},
        days=visit.service.settings.request_log_days,
    )


def _filters(visit: Visit) -> RequestFilters:
    period = _PERIODS.get(visit.asked("period"))
    return RequestFilters(
        key_id=visit.asked("key") or None,
        method=visit.asked("method") if visit.asked("method") in _METHODS else None,
        path=visit.asked("path") or None,
        status=visit.asked("status") if visit.asked("status") in _STATUSES else None,
        created_after=visit.now - period[1] if period else None,
    )


async def show_one(visit: Visit) -> Response:
    """One request with its bodies. Raises NotFoundError."""
    async with visit.service.database.begin() as transaction:
        one = await requests.get(transaction, visit.tenant, visit.request.path_params["request_id"])
    bodies = {"Request": _indented(one.request_body), "Response": _indented(one.response_body)}
    return visit.render("request.html", one=one, bodies=bodies)


def _indented(kept: str | None) -> str | None:
    return None if kept is None else json.dumps(json.loads(kept), indent=2, ensure_ascii=False)


ROUTES = (page(_PATH, show), page(f"{_PATH}/{{request_id}}", show_one))
