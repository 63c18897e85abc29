"""The SQL of daily looks at publishers. The trap: as many looks a day as there are workers; one of them has it."""

from __future__ import annotations

import datetime as dt

from sqlalchemy import Column, Table, Text
from sqlalchemy.dialects.postgresql import insert

from pcs.base.database import MOMENT, Transaction, metadata
from pcs.tariff.revision import ScheduleName

watches = Table(
    "schedule_watches",
    metadata,
    Column("schedule", Text, primary_key=True),
    Column("looked_at", MOMENT, nullable=False),
)


async def take_turn(transaction: Transaction, name: ScheduleName, *, before: dt.datetime, now: dt.datetime) -> bool:
    """Whether nobody has looked since `before`, and whoever asks is the one to look now."""
    turn = insert(watches).values(schedule=name, looked_at=now)
    taken = turn.on_conflict_do_update(
        index_elements=[watches.c.schedule], set_={"looked_at": now}, where=watches.c.looked_at <= before
    )
    return (await transaction.execute(taken.returning(watches.c.schedule))).first() is not None
