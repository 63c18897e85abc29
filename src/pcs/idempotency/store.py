"""All SQL of kept answers. The trap: a lock that outlives a crash; an advisory lock ends with its connection."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import Column, ForeignKey, Integer, LargeBinary, Table, Text, delete, insert, select, text
from sqlalchemy.exc import OperationalError

from pcs.base.database import MOMENT, Transaction, metadata
from pcs.base.owned import owned
from pcs.idempotency.model import KeptAnswer, RequestIdentity

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

_LOCK_NOT_AVAILABLE = "55P03"


async def lock(transaction: Transaction, identity: RequestIdentity, *, wait: dt.timedelta) -> bool:
    """Keep others with this identity waiting until the transaction ends; False where one of them is still busy."""
    tenant = identity.tenant
    name = f"{tenant.organization_id} {tenant.environment} {identity.method} {identity.path} {identity.key}"
    milliseconds = str(round(wait.total_seconds() * 1000))
    await transaction.execute(text("SELECT set_config('lock_timeout', :wait, true)"), {"wait": milliseconds})
    try:
        await transaction.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": name})
    except OperationalError as error:
        if getattr(error.orig, "sqlstate", None) == _LOCK_NOT_AVAILABLE:
            return False
        raise
    await transaction.execute(text("SELECT set_config('lock_timeout', '0', true)"))
    return True


async def find(
    transaction: Transaction, identity: RequestIdentity, *, since: dt.datetime
) -> tuple[bytes, KeptAnswer] | None:
    """The fingerprint and answer kept under this identity's key; an older one is forgotten."""
    mine = (
        owned(kept_answers, identity.tenant)
        & (kept_answers.c.method == identity.method)
        & (kept_answers.c.path == identity.path)
        & (kept_answers.c.key == identity.key)
    )
    row = (await transaction.execute(select(kept_answers).where(mine))).mappings().one_or_none()
    if row is not None and row["created_at"] < since:
        await transaction.execute(delete(kept_answers).where(mine))
        row = None
    return None if row is None else (row["fingerprint"], KeptAnswer(status=row["status"], body=row["body"]))


async def keep(transaction: Transaction, identity: RequestIdentity, answer: KeptAnswer, *, now: dt.datetime) -> None:
    """Store an answer."""
    await transaction.execute(
        insert(kept_answers).values(
            **identity.tenant.columns,
            method=identity.method,
            path=identity.path,
            key=identity.key,
            fingerprint=identity.fingerprint,
            status=answer.status,
            body=answer.body,
            created_at=now,
        ),
    )


async def forget(transaction: Transaction, *, before: dt.datetime) -> None:
    """Drop the answers kept earlier."""
    await transaction.execute(delete(kept_answers).where(kept_answers.c.created_at < before))
