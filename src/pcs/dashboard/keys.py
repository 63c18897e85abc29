"""Settings, API: keys are made and revoked here and nowhere else. The trap: a key that can be seen again; the page
after the form shows it, once, and no cache keeps that."""

from __future__ import annotations

import datetime as dt

from starlette.responses import Response

from pcs.base.errors import InvalidRequestError, NotFoundError, Violation
from pcs.base.tenancy import Environment, Tenant
from pcs.dashboard.numbers import count
from pcs.dashboard.once import go_and_show, left_here
from pcs.dashboard.quick_starts import filled_in
from pcs.dashboard.visit import Visit, action, page
from pcs.organizations import audit, limits
from pcs.organizations import service as organizations
from pcs.organizations.model import FULL_ACCESS, MAX_ACTIVE_KEYS, READ_ONLY, ApiKey, NewKey, Scope
from pcs.organizations.people import Action, Permission

_LIFETIMES = {"": "Never", "30": "In 30 days", "90": "In 90 days", "365": "In a year"}
_LONGEST_NAME = 100
_PATH = "/dashboard/{environment:environment}/settings/api"


async def show(visit: Visit) -> Response:
    """The keys of both environments, the form for a new one, and once the one just made."""
    async with visit.service.database.begin() as transaction:
        keys = await organizations.list_keys(transaction, visit.tenant.organization_id)
        made = await left_here(visit, transaction)
    keys.reverse()
    return visit.render(
        "keys.html",
        active=[key for key in keys if key.refusal(visit.now) is None],
        ended=[key for key in keys if key.refusal(visit.now) is not None],
        made=made,
        quick_starts=filled_in(made["token"], visit.service.settings) if made else (),
        lifetimes=_LIFETIMES,
        scopes=tuple(Scope),
        most=MAX_ACTIVE_KEYS,
        usual=visit.service.settings.rate_limit_per_minute,
        full_access=FULL_ACCESS,
        read_only=READ_ONLY,
    )


async def create(visit: Visit) -> Response:
    """Make a key, which the next page shows once. Raises InvalidRequestError or TooManyKeysError."""
    new = _new_key(visit)
    async with visit.service.database.begin() as transaction:
        key, token = await organizations.create_key(transaction, new, visit.service.secrets, now=visit.now)
        detail = f"{key.name} ({key.tenant.environment}, …{key.last_four})"
        await audit.record(transaction, visit.actor, Action.KEY_CREATED, subject=key.id, detail=detail, now=visit.now)
        return await go_and_show(visit, transaction, "/settings/api", name=key.name, token=token)


def _new_key(visit: Visit) -> NewKey:
    name = " ".join(visit.text("name").replace("\x00", "").split())
    if not 1 <= len(name) <= _LONGEST_NAME:
        raise InvalidRequestError(Violation("name", f"must have 1 to {_LONGEST_NAME} characters"))
    days = visit.text("expires")
    if days not in _LIFETIMES:
        raise InvalidRequestError(Violation("expires", "must be one of the choices"))
    expires = visit.now + dt.timedelta(days=int(days)) if days else None
    environment = Environment.TEST if visit.text("key_environment") == Environment.TEST else Environment.LIVE
    tenant = Tenant(visit.tenant.organization_id, environment)
    return NewKey(tenant=tenant, name=name, scopes=_scopes(visit), expires_at=expires)


def _scopes(visit: Visit) -> frozenset[Scope]:
    preset = visit.text("access", "full")
    if preset != "custom":
        return READ_ONLY if preset == "read" else FULL_ACCESS
    chosen = frozenset(scope for scope in Scope if scope in visit.texts("scopes"))
    if not chosen:
        raise InvalidRequestError(Violation("scopes", "need at least one choice"))
    return chosen


async def ask(visit: Visit) -> Response:
    """Whether a key is really to be revoked. Raises NotFoundError."""
    return visit.render("key_revoke.html", key=await _key(visit))


async def revoke(visit: Visit) -> Response:
    """Reject a key from now on. Raises NotFoundError."""
    key = await _key(visit)
    async with visit.service.database.begin() as transaction:
        await organizations.revoke_key(transaction, key.id, visit.tenant.organization_id, now=visit.now)
        detail = f"{key.name} ({key.tenant.environment}, …{key.last_four})"
        await audit.record(transaction, visit.actor, Action.KEY_REVOKED, subject=key.id, detail=detail, now=visit.now)
    return visit.go("/settings/api", done="key_revoked")


async def ask_limit(visit: Visit) -> Response:
    """How many requests a key may send, and the form to change it. Raises NotFoundError."""
    usual = visit.service.settings.rate_limit_per_minute
    return visit.render("key_limit.html", key=await _key(visit), usual=usual)


async def set_limit(visit: Visit) -> Response:
    """Change it; an empty field follows the service. Raises InvalidRequestError or NotFoundError."""
    limit = count(visit, "rate_limit")
    async with visit.service.database.begin() as transaction:
        key_id = visit.request.path_params["key_id"]
        await limits.set_rate_limit(transaction, visit.actor, key_id, limit, now=visit.now)
    return visit.go("/settings/api", done="limit_set")


async def _key(visit: Visit) -> ApiKey:
    async with visit.service.database.begin() as transaction:
        keys = await organizations.list_keys(transaction, visit.tenant.organization_id)
    for key in keys:
        if key.id == visit.request.path_params["key_id"] and key.revoked_at is None:
            return key
    msg = "There is no such key, or it is revoked already."
    raise NotFoundError(msg)


ROUTES = (
    page(_PATH, show),
    action(_PATH, create, shown=show, needs=Permission.MANAGE_KEYS, confirms=True),
    page(f"{_PATH}/{{key_id}}/limit", ask_limit, needs=Permission.MANAGE_KEYS),
    action(f"{_PATH}/{{key_id}}/limit", set_limit, shown=ask_limit, needs=Permission.MANAGE_KEYS, confirms=True),
    page(f"{_PATH}/{{key_id}}/revoke", ask, needs=Permission.MANAGE_KEYS),
    action(f"{_PATH}/{{key_id}}/revoke", revoke, shown=ask, needs=Permission.MANAGE_KEYS, confirms=True),
)
