"""The three calls around work that must happen once: `begin` before it, `keep` after it, in its own transaction.

The trap: two identical requests at the same moment; the second waits for the first and replays its answer."""

from __future__ import annotations

import datetime as dt

from pcs.base.database import Transaction
from pcs.idempotency import store
from pcs.idempotency.model import KeptAnswer, KeyReusedError, RequestIdentity

_WAIT = dt.timedelta(seconds=2)


async def begin(
    transaction: Transaction, identity: RequestIdentity, *, retention: dt.timedelta, now: dt.datetime
) -> KeptAnswer | None:
    """The answer to replay, or None where the work is to be done now, by this transaction alone.

    Waits up to 2 s for a request with the same key. Raises InProgressError after that, KeyReusedError for another body.
    """
    found = await store.hold_and_find(transaction, identity, wait=_WAIT, since=now - retention)
    if found is None:
        return None
    fingerprint, answer = found
    if fingerprint != identity.fingerprint:
        msg = "This Idempotency-Key was used with a different body."
        raise KeyReusedError(msg)
    return answer


async def keep(transaction: Transaction, identity: RequestIdentity, answer: KeptAnswer, *, now: dt.datetime) -> None:
    """Keep a success for replay."""
    await store.keep(transaction, identity, answer, now=now)


async def tidy(transaction: Transaction, *, retention: dt.timedelta, now: dt.datetime) -> None:
    """Forget answers whose retention is over."""
    await store.forget(transaction, before=now - retention)
