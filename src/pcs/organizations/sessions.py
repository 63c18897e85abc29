"""Who is signed in. The trap: a session fixed by somebody else before the sign-in; `begin` always makes a new token,
and only its digest is stored."""

from __future__ import annotations

import datetime as dt
import secrets as randomness

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.secrets import Secrets
from pcs.base.text import shortened
from pcs.organizations import sessions_store as store
from pcs.organizations.model import Organization
from pcs.organizations.people import IDLE, LONGEST, SESSION, Member, Origin, Session

_TOUCH_EVERY = dt.timedelta(minutes=1)
_TOKEN_BYTES = 32
_AGENT_KEPT = 200


async def begin(
    transaction: Transaction,
    member: Member,
    organization: Organization,
    secrets: Secrets,
    *,
    origin: Origin,
    now: dt.datetime,
) -> tuple[Session, str]:
    """A new session and its token, which only the browser keeps."""
    token = randomness.token_urlsafe(_TOKEN_BYTES)
    kept = Origin(origin.address, shortened(origin.agent, _AGENT_KEPT))
    session = Session(ids.new_id(SESSION), member, organization, now, now, now, kept)
    await store.add(transaction, session, _digest(secrets, token))
    return session, token


async def find(transaction: Transaction, token: str, secrets: Secrets, *, now: dt.datetime) -> Session | None:
    """The session of a token, None where there is none any more; notes once a minute that it is used."""
    session = await store.find(transaction, _digest(secrets, token))
    if session is None:
        return None
    if session.is_over(now):
        await store.end(transaction, session.member.id, session.id)
        return None
    if now - session.last_seen_at >= _TOUCH_EVERY:
        await store.change(transaction, session.id, last_seen_at=now)
    return session


async def confirm(transaction: Transaction, session: Session, *, now: dt.datetime) -> None:
    """Note that the password was given just now."""
    await store.change(transaction, session.id, confirmed_at=now)


async def list_of(transaction: Transaction, member_id: str, *, now: dt.datetime) -> list[Session]:
    """A member's sessions that are not over, the one used last first."""
    return [session for session in await store.list_of(transaction, member_id) if not session.is_over(now)]


async def end(transaction: Transaction, member_id: str, session_id: str) -> bool:
    """End one session of a member; False where there is no such session."""
    return await store.end(transaction, member_id, session_id)


async def end_all(transaction: Transaction, member_id: str, *, but: str | None = None) -> int:
    """End a member's sessions, all or all but one; answers how many."""
    return await store.end_all(transaction, member_id, but=but)


async def tidy(transaction: Transaction, *, now: dt.datetime) -> None:
    """Drop sessions that are over."""
    await store.forget(transaction, idle_since=now - IDLE, begun_before=now - LONGEST)


def _digest(secrets: Secrets, token: str) -> bytes:
    return secrets.digest(f"session {token}")
