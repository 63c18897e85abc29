"""All SQL of kept answers. The trap: a lock that outlives a crash; an advisory lock ends with its connection."""

from __future__ import annotations

import datetime as dt

from psycopg.errors import LockNotAvailable
from sqlalchemy import Column, ForeignKey, Integer, LargeBinary, Table, Text, delete, text

from pcs.base.database import MOMENT, Insertion, Prepared, Transaction, metadata
from pcs.base.owned import owned_sql
from pcs.idempotency.model import InProgressError, KeptAnswer, RequestIdentity

kept_answers = Table(
    "kept_answers",
    metadata,
    Column("organization_id", ForeignKey("organizations.id"), primary_key=True),
    Column("environment", Text, primary_key=True),
    Column("method", Text, primary_key=True),
    Column("path", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("fingerprint", LargeBinary, nullable=False),
    Column("status", Integer, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("created_at", MOMENT, nullable=False),
)

_LIMIT_WAITS = Prepared(text("SELECT set_config('lock_timeout', :wait, true)"))
_LOCK = Prepared(text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"))
_MINE = f"{owned_sql()} AND method = :method AND path = :path AND key = :key"
_FORGET_OLD = Prepared(text(f"DELETE FROM kept_answers WHERE {_MINE} AND created_at < :since"))  # noqa: S608 (our own constants)
_FIND = Prepared(text(f"SELECT fingerprint, status, body FROM kept_answers WHERE {_MINE}"))  # noqa: S608 (our own constants)
_KEEP = Insertion(kept_answers)


async def hold_and_find(
    transaction: Transaction, identity: RequestIdentity, *, wait: dt.timedelta, since: dt.datetime
) -> tuple[bytes, KeptAnswer] | None:
    """The fingerprint and answer kept under this identity's key since then. Others with it wait until the transaction
    ends; raises InProgressError where one of them is still busy after `wait`."""
    which = _columns(identity)
    await _LIMIT_WAITS.post(transaction, wait=str(round(wait.total_seconds() * 1000)))
    await _LOCK.post(transaction, name=" ".join(which.values()))
    await _LIMIT_WAITS.post(transaction, wait="0")
    await _FORGET_OLD.post(transaction, **which, since=since)
    try:
        row = await _FIND.row(transaction, **which)
    except LockNotAvailable:
        msg = "A request with this Idempotency-Key is still in progress."
        raise InProgressError(msg) from None
    return None if row is None else (row["fingerprint"], KeptAnswer(status=row["status"], body=row["body"]))


async def keep(transaction: Transaction, identity: RequestIdentity, answer: KeptAnswer, *, now: dt.datetime) -> None:
    """Store an answer."""
    kept = {"fingerprint": identity.fingerprint, "status": answer.status, "body": answer.body, "created_at": now}
    await _KEEP.post(transaction, [{**_columns(identity), **kept}])


def _columns(identity: RequestIdentity) -> dict[str, str]:
    asked = {"method": identity.method, "path": identity.path, "key": identity.key}
    return {**identity.tenant.columns, **asked}


async def forget(transaction: Transaction, *, before: dt.datetime) -> None:
    """Drop the answers kept earlier."""
    await transaction.execute(delete(kept_answers).where(kept_answers.c.created_at < before))
