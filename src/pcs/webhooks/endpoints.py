"""What can be done with an organization's endpoints: the default one, which the contract sets, and those added to it.

The trap: two endpoints with one address, which would be told of each event twice; an address is an endpoint's alone."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.errors import NotFoundError
from pcs.base.secrets import Secrets
from pcs.base.tenancy import Tenant
from pcs.webhooks import endpoint_store
from pcs.webhooks.model import (
    DEFAULT,
    MAX_ENDPOINTS,
    ROTATION,
    ClaimedDelivery,
    Endpoint,
    EndpointSettings,
    EndpointTakenError,
    TooManyEndpointsError,
)


async def every(transaction: Transaction, tenant: Tenant) -> list[Endpoint]:
    """A tenant's endpoints, the default one first."""
    return await endpoint_store.every(transaction, tenant)


async def get(transaction: Transaction, tenant: Tenant, endpoint_id: str = DEFAULT) -> Endpoint:
    """One endpoint. Raises NotFoundError."""
    known = endpoint_id == DEFAULT or ids.is_id(ids.ENDPOINT, endpoint_id)
    found = await endpoint_store.get(transaction, tenant, endpoint_id) if known else None
    if found is None:
        msg = "No webhook is configured." if endpoint_id == DEFAULT else f"There is no endpoint {endpoint_id}."
        raise NotFoundError(msg)
    return found


async def configure(
    transaction: Transaction, tenant: Tenant, new: EndpointSettings, secrets: Secrets, *, now: dt.datetime
) -> Endpoint:
    """Set the default endpoint. A changed secret keeps signing beside the new one for a day."""
    await endpoint_store.hold_all(transaction, tenant)
    before = await endpoint_store.get(transaction, tenant, DEFAULT)
    return await _put(transaction, before or _empty(tenant, DEFAULT, now), new, secrets, now=now)


async def add(
    transaction: Transaction, tenant: Tenant, new: EndpointSettings, secrets: Secrets, *, now: dt.datetime
) -> Endpoint:
    """Add an endpoint. Raises EndpointTakenError or TooManyEndpointsError."""
    await endpoint_store.hold_all(transaction, tenant)
    others = await endpoint_store.every(transaction, tenant)
    if sum(one.id != DEFAULT for one in others) >= MAX_ENDPOINTS:
        raise TooManyEndpointsError
    _refuse_taken(new.url, others)
    return await _put(transaction, _empty(tenant, ids.new_id(ids.ENDPOINT), now), new, secrets, now=now)


async def change(
    transaction: Transaction,
    tenant: Tenant,
    endpoint_id: str,
    given: Mapping[str, Any],
    secrets: Secrets,
    *,
    now: dt.datetime,
) -> Endpoint:
    """Change some settings of an endpoint, by the names that `EndpointSettings` has for them; the others stay.

    Raises NotFoundError or EndpointTakenError.
    """
    await endpoint_store.hold_all(transaction, tenant)
    before = await get(transaction, tenant, endpoint_id)
    new = dataclasses.replace(EndpointSettings(before.url, None, before.event_types, before.enabled), **given)
    if new.url != before.url:
        _refuse_taken(new.url, await endpoint_store.every(transaction, tenant))
    return await _put(transaction, before, new, secrets, now=now)


async def remove(transaction: Transaction, tenant: Tenant, endpoint_id: str = DEFAULT) -> None:
    """Remove an endpoint. Raises NotFoundError."""
    await get(transaction, tenant, endpoint_id)
    await endpoint_store.remove(transaction, tenant, endpoint_id)


def signer(claimed: ClaimedDelivery, known: Sequence[Endpoint]) -> Endpoint | None:
    """The endpoint whose secret signs a delivery: its own, or for a request's own URL the one with that URL, or else
    the default one."""
    if claimed.endpoint_id is not None:
        return next((one for one in known if one.id == claimed.endpoint_id), None)
    same = (one for one in known if one.url == claimed.url)
    return next(same, next((one for one in known if one.id == DEFAULT), None))


def active_secrets(endpoint: Endpoint | None, secrets: Secrets, *, now: dt.datetime) -> list[str]:
    """The secrets to sign with, the current one first."""
    if endpoint is None or endpoint.secret is None:
        return []
    sealed = [endpoint.secret]
    if endpoint.previous_secret and endpoint.previous_until and now < endpoint.previous_until:
        sealed.append(endpoint.previous_secret)
    return [secrets.open(bytes(one), owner=_owner(endpoint)) for one in sealed]


async def seal_anew(transaction: Transaction, old: Secrets, new: Secrets) -> int:
    """Seal every stored secret with another key; answers how many endpoints have one."""
    found = await endpoint_store.with_secrets(transaction)
    for one in found:
        sealed = [
            None if each is None else new.seal(old.open(bytes(each), owner=_owner(one)), owner=_owner(one))
            for each in (one.secret, one.previous_secret)
        ]
        await endpoint_store.put(transaction, dataclasses.replace(one, secret=sealed[0], previous_secret=sealed[1]))
    return len(found)


def _refuse_taken(url: str, others: Sequence[Endpoint]) -> None:
    if any(one.url == url for one in others):
        raise EndpointTakenError


def _empty(tenant: Tenant, endpoint_id: str, now: dt.datetime) -> Endpoint:
    return Endpoint(endpoint_id, tenant, "", "", None, None, None, (), enabled=True, created_at=now, updated_at=now)


async def _put(
    transaction: Transaction, before: Endpoint, new: EndpointSettings, secrets: Secrets, *, now: dt.datetime
) -> Endpoint:
    secret, previous, until = _rotated(before, new.secret, secrets, now=now)
    endpoint = dataclasses.replace(
        before,
        url=new.url,
        description=before.description if new.description is None else new.description,
        secret=secret,
        previous_secret=previous,
        previous_until=until,
        event_types=new.event_types,
        enabled=new.enabled,
        updated_at=now,
    )
    await endpoint_store.put(transaction, endpoint)
    return endpoint


def _rotated(
    before: Endpoint, secret: str | None, secrets: Secrets, *, now: dt.datetime
) -> tuple[bytes | None, bytes | None, dt.datetime | None]:
    """The sealed secret, the previous one and until when that is used."""
    kept = before.secret, before.previous_secret, before.previous_until
    if secret is None:
        return kept
    if not secret:
        return None, None, None
    if before.secret is not None and secrets.open(before.secret, owner=_owner(before)) == secret:
        return kept
    return secrets.seal(secret, owner=_owner(before)), before.secret, now + ROTATION if before.secret else None


def _owner(endpoint: Endpoint) -> str:
    whose = f"webhook {endpoint.tenant.organization_id} {endpoint.tenant.environment}"
    return whose if endpoint.id == DEFAULT else f"{whose} {endpoint.id}"
