"""All SQL of what is shown once. The trap: two readers at once; who deletes the row is the one who reads it."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import Column, ForeignKey, LargeBinary, Table, Text, delete
from sqlalchemy.dialects.postgresql import insert

from pcs.base.database import MOMENT, Transaction, metadata
from pcs.organizations.sessions_store import sessions

shown_once = Table(
    "shown_once",
    metadata,
    Column("session_id", ForeignKey(sessions.c.id, ondelete="CASCADE"), primary_key=True),
    Column("page", Text, primary_key=True),
    Column("sealed", LargeBinary, nullable=False),
    Column("made_at", MOMENT, nullable=False),
)


async def put(transaction: Transaction, session_id: str, page: str, sealed: bytes, *, now: dt.datetime) -> None:
    """Keep it, in the place of what was there for that page."""
    row = {"session_id": session_id, "page": page, "sealed": sealed, "made_at": now}
    query = insert(shown_once).values(row)
    await transaction.execute(query.on_conflict_do_update(index_elements=["session_id", "page"], set_=row))


async def take(transaction: Transaction, session_id: str, page: str, *, since: dt.datetime) -> bytes | None:
    """What was kept for a page since then; it is gone afterwards."""
    there = (shown_once.c.session_id == session_id) & (shown_once.c.page == page)
    query = delete(shown_once).where(there).returning(shown_once.c.sealed, shown_once.c.made_at)
    row = (await transaction.execute(query)).one_or_none()
    return None if row is None or row.made_at < since else bytes(row.sealed)


async def forget(transaction: Transaction, *, before: dt.datetime) -> None:
    """Drop what nobody fetched."""
    await transaction.execute(delete(shown_once).where(shown_once.c.made_at < before))
