"""What a form leads to shows once: a new key, a signing secret, a one-time link. The trap: an answer to the form
itself, which a reload asks for again and so makes another."""

from __future__ import annotations

from starlette.responses import Response

from pcs.base.database import Transaction
from pcs.dashboard.visit import Visit
from pcs.organizations import shown_once


async def go_and_show(visit: Visit, transaction: Transaction, path: str, **said: str) -> Response:
    """Send the browser to a page of this environment that shows this once, kept with what the form did."""
    page, secrets = f"{visit.base}{path}", visit.service.secrets
    await shown_once.leave(transaction, visit.signed_in, page, said, secrets, now=visit.now)
    return visit.go(path)


async def left_here(visit: Visit, transaction: Transaction) -> dict[str, str]:
    """What a form left for this page to show once; empty where nothing."""
    page = visit.request.url.path
    return await shown_once.take(transaction, visit.signed_in, page, visit.service.secrets, now=visit.now)
