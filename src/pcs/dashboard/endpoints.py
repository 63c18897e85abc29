"""Settings, Webhooks: each endpoint beside the default one. The trap: a form for an endpoint that was removed
meanwhile, which makes it anew; it is not found."""

from __future__ import annotations

import dataclasses
import datetime as dt

from starlette.responses import Response

from pcs.base.database import Transaction
from pcs.base.errors import InvalidRequestError, Violation
from pcs.base.plurals import counted
from pcs.dashboard.once import go_and_show, left_here
from pcs.dashboard.visit import Visit, action, page
from pcs.dashboard.webhooks import SUBSCRIBABLE, sent_deliveries, settings_given
from pcs.organizations import audit
from pcs.organizations.people import Action, Permission
from pcs.webhooks import endpoints, history, replays
from pcs.webhooks.model import DEFAULT, MAX_DESCRIPTION, Endpoint, EndpointSettings

_PATH = "/dashboard/{environment:environment}/settings/webhooks/endpoints"
_ONE = f"{_PATH}/{{endpoint_id}}"
HOURS = {"": "All", "1": "The last hour", "24": "The last day", "168": "The last week"}
"""From when on deliveries are sent again, by what the form sends."""


async def show_new(visit: Visit) -> Response:
    """An empty form."""
    nothing = {"endpoint": None, "made_secret": None, "refresh": None}
    return visit.render("endpoint.html", kinds=SUBSCRIBABLE, **nothing)


async def show(visit: Visit) -> Response:
    """One endpoint with its deliveries, and once the secret just made. Raises NotFoundError."""
    async with visit.service.database.begin() as transaction:
        endpoint = await _endpoint(visit, transaction)
        sent = await sent_deliveries(visit, transaction, endpoint.id)
        missed, replay = await replays.standing(transaction, visit.tenant, endpoint.id)
        made = await left_here(visit, transaction)
    said = {"kinds": SUBSCRIBABLE, "made_secret": made.get("secret"), "missed": missed, "replay": replay}
    return visit.render("endpoint.html", endpoint=endpoint, **sent, **said)


async def _endpoint(visit: Visit, transaction: Transaction) -> Endpoint:
    return await endpoints.get(transaction, visit.tenant, visit.request.path_params["endpoint_id"])


async def add(visit: Visit) -> Response:
    """Add an endpoint. Raises InvalidRequestError, EndpointTakenError or TooManyEndpointsError."""
    new, made = await _given(visit)
    async with visit.service.database.begin() as transaction:
        added = await endpoints.add(transaction, visit.tenant, new, visit.service.secrets, now=visit.now)
        await _note(visit, transaction, Action.ENDPOINT_ADDED, added)
        return await _shown(visit, transaction, added, made)


async def change(visit: Visit) -> Response:
    """Change an endpoint. Raises InvalidRequestError, EndpointTakenError or NotFoundError."""
    new, made = await _given(visit)
    given = {name: getattr(new, name) for name in EndpointSettings.__dataclass_fields__}
    async with visit.service.database.begin() as transaction:
        before = await _endpoint(visit, transaction)
        secrets = visit.service.secrets
        changed = await endpoints.change(transaction, visit.tenant, before.id, given, secrets, now=visit.now)
        await _note(visit, transaction, Action.ENDPOINT_CHANGED, changed, new_secret=bool(new.secret))
        return await _shown(visit, transaction, changed, made)


async def _given(visit: Visit) -> tuple[EndpointSettings, str | None]:
    description = visit.line("description", longest=MAX_DESCRIPTION)
    new, made = await settings_given(visit)
    return dataclasses.replace(new, description=description), made


async def _note(
    visit: Visit, transaction: Transaction, what: Action, endpoint: Endpoint, *, new_secret: bool = False
) -> None:
    detail = f"{endpoint.url} ({visit.environment})" + (", new secret" if new_secret else "")
    await audit.record(transaction, visit.actor, what, subject=endpoint.id, detail=detail, now=visit.now)


async def _shown(visit: Visit, transaction: Transaction, endpoint: Endpoint, made: str | None) -> Response:
    path = f"/settings/webhooks/endpoints/{endpoint.id}"
    if made:
        return await go_and_show(visit, transaction, path, secret=made)
    return visit.go(path, done="endpoint_set")


async def remove(visit: Visit) -> Response:
    """Remove an endpoint. Raises NotFoundError."""
    async with visit.service.database.begin() as transaction:
        endpoint = await _endpoint(visit, transaction)
        await endpoints.remove(transaction, visit.tenant, endpoint.id)
        await _note(visit, transaction, Action.ENDPOINT_REMOVED, endpoint)
    return visit.go("/settings/webhooks", done="endpoint_removed")


async def test(visit: Visit) -> Response:
    """Send a test event to one endpoint. Raises NotFoundError."""
    async with visit.service.database.begin() as transaction:
        endpoint = await _endpoint(visit, transaction)
        delivery_id = await history.send_test(transaction, visit.tenant, endpoint.id, now=visit.now)
        await audit.record(transaction, visit.actor, Action.WEBHOOK_TESTED, subject=delivery_id, now=visit.now)
    return visit.go(f"/settings/webhooks/deliveries/{delivery_id}", done="test_sent")


async def replay(visit: Visit) -> Response:
    """Send again what an endpoint did not get, of the last hours or of all. Raises NotFoundError, NotReplayableError or
    InvalidRequestError."""
    hours = visit.text("hours")
    if hours not in HOURS:
        raise InvalidRequestError(Violation("hours", "must be one of the choices"))
    since = visit.now - dt.timedelta(hours=int(hours)) if hours else None
    async with visit.service.database.begin() as transaction:
        endpoint = await _endpoint(visit, transaction)
        begun = await replays.begin(transaction, visit.tenant, endpoint.id, since=since, now=visit.now)
        detail = f"{counted(begun.total, 'delivery')} ({visit.environment})"
        what = Action.WEBHOOK_REDELIVERED
        await audit.record(transaction, visit.actor, what, subject=endpoint.id, detail=detail, now=visit.now)
    path = "" if endpoint.id == DEFAULT else f"/endpoints/{endpoint.id}"
    return visit.go(f"/settings/webhooks{path}", done="replay_begun")


_MANAGES = Permission.MANAGE_WEBHOOKS
ROUTES = (
    page(f"{_PATH}/new", show_new, needs=_MANAGES),
    action(_PATH, add, shown=show_new, needs=_MANAGES, confirms=True),
    page(_ONE, show),
    action(_ONE, change, shown=show, needs=_MANAGES, confirms=True),
    action(f"{_ONE}/remove", remove, shown=show, needs=_MANAGES, confirms=True),
    action(f"{_ONE}/test", test, shown=show, needs=_MANAGES),
    action(f"{_ONE}/replay", replay, shown=show, needs=_MANAGES),
)
