"""A secret between the form that made it and the page that shows it once, so that no reload makes another. The trap: a
secret in an address or a log; it is kept sealed, for one session and one page, and reading removes it."""

from __future__ import annotations

import datetime as dt
import json

from pcs.base.database import Transaction
from pcs.base.errors import OperatorError
from pcs.base.secrets import Secrets
from pcs.organizations import shown_once_store as store
from pcs.organizations.people import Session

_LASTS = dt.timedelta(minutes=10)


async def leave(
    transaction: Transaction, session: Session, page: str, said: dict[str, str], secrets: Secrets, *, now: dt.datetime
) -> None:
    """Keep something for the session's next visit to a page (its path)."""
    sealed = secrets.seal(json.dumps(said), owner=_owner(session))
    await store.put(transaction, session.id, page, sealed, now=now)


async def take(
    transaction: Transaction, session: Session, page: str, secrets: Secrets, *, now: dt.datetime
) -> dict[str, str]:
    """What was left for the page in the last ten minutes, once; empty where there is nothing."""
    sealed = await store.take(transaction, session.id, page, since=now - _LASTS)
    try:
        return dict(json.loads(secrets.open(sealed, owner=_owner(session)))) if sealed else {}
    except OperatorError:  # the installation's key changed meanwhile
        return {}


async def tidy(transaction: Transaction, *, now: dt.datetime) -> None:
    """Drop what nobody fetched."""
    await store.forget(transaction, before=now - _LASTS)


def _owner(session: Session) -> str:
    return f"shown once {session.id}"
