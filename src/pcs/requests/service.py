"""What can be asked of the request log. The trap: a log that nobody shortens; the workers' sweep calls `tidy`."""

from __future__ import annotations

import datetime as dt

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.errors import NotFoundError
from pcs.base.paging import Page, Slice
from pcs.base.tenancy import Tenant
from pcs.requests import store
from pcs.requests.model import LoggedRequest, RequestFilters


async def list_page(
    transaction: Transaction, tenant: Tenant, filters: RequestFilters, wanted: Slice
) -> Page[LoggedRequest]:
    """A tenant's requests without their bodies, newest first."""
    return await store.list_page(transaction, tenant, filters, wanted)


async def get(transaction: Transaction, tenant: Tenant, request_id: str) -> LoggedRequest:
    """A tenant's request with what is kept of its bodies. Raises NotFoundError."""
    found = await store.get(transaction, tenant, request_id) if ids.is_id(ids.REQUEST, request_id) else None
    if found is None:
        msg = f"There is no request {request_id} in the log."
        raise NotFoundError(msg)
    return found


async def tidy(transaction: Transaction, *, days: int, now: dt.datetime) -> None:
    """Forget what is older than so many days."""
    await store.forget(transaction, before=now - dt.timedelta(days=days))
