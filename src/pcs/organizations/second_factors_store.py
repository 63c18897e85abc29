"""All SQL of second factors. The trap: one code taken by two browsers at once; taking a code is one UPDATE or DELETE
with its condition."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from sqlalchemy import Column, ForeignKey, Integer, LargeBinary, Table, delete, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as upsert

from pcs.base.database import MOMENT, Transaction, metadata
from pcs.organizations.store import members, organizations

second_factors = Table(
    "second_factors",
    metadata,
    Column("member_id", ForeignKey("members.id"), primary_key=True),
    Column("sealed", LargeBinary, nullable=False),
    Column("last_step", Integer, nullable=False),
    Column("created_at", MOMENT, nullable=False),
)
recovery_codes = Table(
    "recovery_codes",
    metadata,
    Column("member_id", ForeignKey("second_factors.member_id", ondelete="CASCADE"), primary_key=True),
    Column("digest", LargeBinary, primary_key=True),
)


async def add(transaction: Transaction, member_id: str, sealed: bytes, *, step: int, now: dt.datetime) -> bool:
    """Store a member's factor; False where they have one."""
    query = upsert(second_factors).values(member_id=member_id, sealed=sealed, last_step=step, created_at=now)
    added = query.on_conflict_do_nothing().returning(second_factors.c.member_id)
    return (await transaction.execute(added)).first() is not None


async def find(transaction: Transaction, member_id: str) -> bytes | None:
    """The sealed secret of a member's factor, None without."""
    query = select(second_factors.c.sealed).where(second_factors.c.member_id == member_id)
    return (await transaction.execute(query)).scalar_one_or_none()


async def use_step(transaction: Transaction, member_id: str, step: int) -> bool:
    """Note that the code of a step was taken; False where that one or a later one was before."""
    query = update(second_factors).where(second_factors.c.member_id == member_id, second_factors.c.last_step < step)
    return (await transaction.execute(query.values(last_step=step))).rowcount == 1


async def use_recovery_code(transaction: Transaction, member_id: str, digest: bytes) -> bool:
    """Take a recovery code; False where there is none such any more."""
    query = delete(recovery_codes).where(recovery_codes.c.member_id == member_id, recovery_codes.c.digest == digest)
    return (await transaction.execute(query)).rowcount == 1


async def put_recovery_codes(transaction: Transaction, member_id: str, digests: Iterable[bytes]) -> None:
    """Store recovery codes in the place of those there were."""
    await transaction.execute(delete(recovery_codes).where(recovery_codes.c.member_id == member_id))
    await transaction.execute(insert(recovery_codes), [{"member_id": member_id, "digest": one} for one in digests])


async def count_recovery_codes(transaction: Transaction, member_id: str) -> int:
    """How many are left."""
    query = select(func.count()).where(recovery_codes.c.member_id == member_id)
    counted: int = (await transaction.execute(query)).scalar_one()
    return counted


async def remove(transaction: Transaction, member_id: str) -> bool:
    """Remove a member's factor with its recovery codes; False where there is none."""
    query = delete(second_factors).where(second_factors.c.member_id == member_id)
    return (await transaction.execute(query)).rowcount == 1


async def holders(transaction: Transaction, organization_id: str) -> set[str]:
    """The ids of an organization's members who have a factor."""
    query = select(second_factors.c.member_id).join(members).where(members.c.organization_id == organization_id)
    return set((await transaction.execute(query)).scalars())


async def require(transaction: Transaction, organization_id: str, *, wanted: bool) -> None:
    """Let an organization ask its members for a factor, or no more."""
    query = update(organizations).where(organizations.c.id == organization_id).values(second_factor=wanted)
    await transaction.execute(query)


async def all_sealed(transaction: Transaction) -> dict[str, bytes]:
    """Every sealed secret by its member's id; nobody changes them before the transaction ends."""
    query = select(second_factors.c.member_id, second_factors.c.sealed).with_for_update()
    return {row.member_id: bytes(row.sealed) for row in await transaction.execute(query)}


async def seal(transaction: Transaction, member_id: str, sealed: bytes) -> None:
    """Store a member's secret under another seal."""
    await transaction.execute(
        update(second_factors).where(second_factors.c.member_id == member_id).values(sealed=sealed)
    )
