"""Settings, Webhooks: where events go, and what became of each. The trap: a secret that comes back in a form; only
whether there is one is shown."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable

from starlette.responses import Response

from pcs.base.database import Transaction
from pcs.base.errors import InvalidRequestError, Violation
from pcs.dashboard.once import go_and_show, left_here
from pcs.dashboard.visit import Visit, action, page
from pcs.organizations import audit
from pcs.organizations.people import Action, Permission
from pcs.products.intake import tidy_text
from pcs.webhooks import endpoints, history, replays, signing
from pcs.webhooks.addresses import RefusedAddressError
from pcs.webhooks.model import (
    DEFAULT,
    MAX_ENDPOINTS,
    UNDELIVERED,
    Delivery,
    DeliveryFilters,
    DeliveryStatus,
    EndpointSettings,
    EventType,
)
from pcs.webhooks.resolving import check_reachable

_PATH = "/dashboard/{environment:environment}/settings/webhooks"
_DELIVERY = f"{_PATH}/deliveries/{{delivery_id}}"
SUBSCRIBABLE = tuple(kind for kind in EventType if kind is not EventType.WEBHOOK_TEST)
"""What an endpoint may be told of without being asked for."""
_LONGEST_SECRET = 255
_SOONEST = 1000  # milliseconds


async def show(visit: Visit) -> Response:
    """The endpoints, the default one's settings and all deliveries, and once the secret just made."""
    async with visit.service.database.begin() as transaction:
        known = await endpoints.every(transaction, visit.tenant)
        sent = await sent_deliveries(visit, transaction)
        missed, replay = await replays.standing(transaction, visit.tenant, DEFAULT)
        made = await left_here(visit, transaction)
    endpoint = next((one for one in known if one.id == DEFAULT), None)
    others = [one for one in known if one.id != DEFAULT]
    said = {
        "kinds": SUBSCRIBABLE,
        "made_secret": made.get("secret"),
        "missed": missed,
        "replay": replay,
    }
    return visit.render("webhooks.html", endpoint=endpoint, others=others, most=MAX_ENDPOINTS, **sent, **said)


async def sent_deliveries(visit: Visit, transaction: Transaction, endpoint_id: str | None = None) -> dict[str, object]:
    """What a page shows of deliveries: to one endpoint, or all; `?show=failed` or `skipped` leaves those."""
    only = next((one for one in UNDELIVERED if one == visit.asked("show")), None)
    filters = DeliveryFilters(only, endpoint_id=endpoint_id)
    found, following = await history.page(transaction, visit.tenant, filters, after=visit.asked("after") or None)
    return {"deliveries": found, "following": following, "only": only, "refresh": _refresh(found, visit.now)}


def _refresh(shown: Iterable[Delivery], now: dt.datetime) -> int | None:
    """After how many milliseconds a page that shows deliveries is to be fetched again; None where all have ended.

    A tenth of the time to the next attempt, or since it was due: one that waits for hours is seldom asked about, and
    is seen to change when its time comes.
    """
    due = [
        one.next_attempt_at or now for one in shown if one.status in {DeliveryStatus.PENDING, DeliveryStatus.SENDING}
    ]
    return max(_SOONEST, min(int(abs(at - now).total_seconds() * 100) for at in due)) if due else None


async def configure(visit: Visit) -> Response:
    """Set the default endpoint. The next page shows a made secret once. Raises InvalidRequestError."""
    new, made = await settings_given(visit)
    async with visit.service.database.begin() as transaction:
        await endpoints.configure(transaction, visit.tenant, new, visit.service.secrets, now=visit.now)
        detail = f"{new.url} ({visit.environment})" + (", new secret" if new.secret else "")
        await audit.record(transaction, visit.actor, Action.WEBHOOK_SET, detail=detail, now=visit.now)
        if made:
            return await go_and_show(visit, transaction, "/settings/webhooks", secret=made)
    return visit.go("/settings/webhooks", done="webhook_set")


async def settings_given(visit: Visit) -> tuple[EndpointSettings, str | None]:
    """What a form says of an endpoint, and the secret that was made for it. Raises InvalidRequestError."""
    made = signing.new_secret() if visit.text("secret_choice") == "make" else None
    given = EndpointSettings(
        url=await _url(visit),
        secret=made or _secret(visit),
        event_types=_kinds(visit),
        enabled=visit.text("enabled") == "yes",
    )
    return given, made


async def _url(visit: Visit) -> str:
    url = visit.text("url").strip()
    try:
        await check_reachable(visit.service.address_policy, url)
    except RefusedAddressError as refusal:
        raise InvalidRequestError(Violation("url", str(refusal))) from None
    return url


def _secret(visit: Visit) -> str | None:
    """The secret to store: None keeps the one there is, an empty one removes it."""
    choice = visit.text("secret_choice", "keep")
    if choice != "own":
        return "" if choice == "none" else None
    secret = tidy_text(visit.text("secret"))
    if not 1 <= len(secret) <= _LONGEST_SECRET or not all("!" <= letter <= "~" for letter in secret):
        raise InvalidRequestError(Violation("secret", f"must have 1 to {_LONGEST_SECRET} printable ASCII characters"))
    return secret


def _kinds(visit: Visit) -> tuple[EventType, ...]:
    kinds = tuple(kind for kind in SUBSCRIBABLE if kind in visit.texts("event_types"))
    if not kinds:
        raise InvalidRequestError(Violation("event_types", "need at least one choice"))
    return kinds


async def remove(visit: Visit) -> Response:
    """Remove the endpoint. Raises NotFoundError."""
    async with visit.service.database.begin() as transaction:
        await endpoints.remove(transaction, visit.tenant)
        detail = visit.environment.value
        await audit.record(transaction, visit.actor, Action.WEBHOOK_REMOVED, detail=detail, now=visit.now)
    return visit.go("/settings/webhooks", done="webhook_removed")


async def test(visit: Visit) -> Response:
    """Send a test event. Raises NotFoundError."""
    async with visit.service.database.begin() as transaction:
        delivery_id = await history.send_test(transaction, visit.tenant, now=visit.now)
        await audit.record(transaction, visit.actor, Action.WEBHOOK_TESTED, subject=delivery_id, now=visit.now)
    return visit.go(f"/settings/webhooks/deliveries/{delivery_id}", done="test_sent")


async def show_delivery(visit: Visit) -> Response:
    """One delivery with every attempt. Raises NotFoundError."""
    async with visit.service.database.begin() as transaction:
        delivery, attempts = await history.get(transaction, visit.tenant, visit.request.path_params["delivery_id"])
    body = json.dumps(json.loads(delivery.body), indent=2, ensure_ascii=False)
    refresh = _refresh([delivery], visit.now)
    return visit.render("delivery.html", delivery=delivery, attempts=attempts, body=body, refresh=refresh)


async def redeliver(visit: Visit) -> Response:
    """Send a delivery again. Raises NotFoundError or NotFinishedError."""
    delivery_id = visit.request.path_params["delivery_id"]
    async with visit.service.database.begin() as transaction:
        await history.redeliver(transaction, visit.tenant, delivery_id, now=visit.now)
        await audit.record(transaction, visit.actor, Action.WEBHOOK_REDELIVERED, subject=delivery_id, now=visit.now)
    return visit.go(f"/settings/webhooks/deliveries/{delivery_id}", done="redelivered")


ROUTES = (
    page(_PATH, show),
    action(_PATH, configure, shown=show, needs=Permission.MANAGE_WEBHOOKS, confirms=True),
    action(f"{_PATH}/remove", remove, shown=show, needs=Permission.MANAGE_WEBHOOKS, confirms=True),
    action(f"{_PATH}/test", test, shown=show, needs=Permission.MANAGE_WEBHOOKS),
    page(_DELIVERY, show_delivery),
    action(f"{_DELIVERY}/redeliver", redeliver, shown=show_delivery, needs=Permission.MANAGE_WEBHOOKS),
)
