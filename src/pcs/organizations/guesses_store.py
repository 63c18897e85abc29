"""All SQL of guesses at passwords. The trap: look first and count later, which lets all pass who come in between; here
who is not counted is refused, and rows are taken in one order, so that nobody waits crosswise."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Column, Integer, Table, Text, bindparam, delete, select, text, update

from pcs.base.database import MOMENT, Transaction, metadata

password_guesses = Table(
    "password_guesses",
    metadata,
    Column("bucket", Text, primary_key=True),
    Column("spare", Integer, nullable=False),
    Column("began_at", MOMENT, nullable=False),
    Column("last_at", MOMENT, nullable=False),
    prefixes=["UNLOGGED"],
)

# without a spare guess: a minute, then two, four, … a quarter of an hour after the latest
_FREE_AT = "(g.last_at + least(interval '15 minutes', interval '1 minute' * power(2, -g.spare)))"
_FREE = f"""(g.spare > 0 OR g.began_at <= :forgotten OR {_FREE_AT} <= :now
             OR g.last_at > :now + interval '5 minutes')"""  # by a wrong clock
_COUNT = text(f"""
    INSERT INTO password_guesses AS g (bucket, spare, began_at, last_at)
    SELECT bucket, spare - 1, :now, :now
      FROM unnest(CAST(:buckets AS text[]), CAST(:spares AS integer[])) asked (bucket, spare) ORDER BY bucket
    ON CONFLICT (bucket) DO UPDATE SET
        spare = CASE WHEN g.began_at <= :forgotten THEN excluded.spare ELSE greatest(g.spare - 1, -10) END,
        began_at = CASE WHEN g.began_at <= :forgotten THEN excluded.began_at ELSE g.began_at END,
        last_at = greatest(g.last_at, excluded.last_at)
     WHERE {_FREE}
    RETURNING bucket
""").bindparams(bindparam("now", type_=MOMENT), bindparam("forgotten", type_=MOMENT))  # noqa: S608 (constants)
_WAIT = text(f"""
    SELECT max(extract(epoch FROM {_FREE_AT} - :now)) FROM password_guesses g
     WHERE bucket = ANY(:buckets) AND NOT {_FREE}
""").bindparams(bindparam("now", type_=MOMENT), bindparam("forgotten", type_=MOMENT))  # noqa: S608 (constants)


async def wait(transaction: Transaction, buckets: Iterable[str], *, now: dt.datetime, forgotten: dt.datetime) -> int:
    """The seconds until all of these buckets are free, 0 where they are; a bucket that began at `forgotten` is."""
    asked = {"buckets": list(buckets), "now": now, "forgotten": forgotten}
    return math.ceil((await transaction.execute(_WAIT, asked)).scalar_one() or 0)


async def count(
    transaction: Transaction, buckets: Mapping[str, int], *, now: dt.datetime, forgotten: dt.datetime
) -> bool:
    """Count a guess in every bucket, each with the guesses that it begins with; a bucket of `forgotten` begins anew.

    False where one is not free; then nothing must be committed, as the others are counted.
    """
    asked = {"buckets": list(buckets), "spares": list(buckets.values()), "now": now, "forgotten": forgotten}
    return len((await transaction.execute(_COUNT, asked)).all()) == len(buckets)


async def forgive(transaction: Transaction, own: str, shared: Sequence[str]) -> None:
    """Forget a bucket, and give the others one guess back."""
    table = password_guesses.c
    held = select(table.bucket).where(table.bucket.in_([own, *shared])).order_by(table.bucket).with_for_update()
    await transaction.execute(held)
    await transaction.execute(delete(password_guesses).where(table.bucket == own))
    await transaction.execute(update(password_guesses).where(table.bucket.in_(shared)).values(spare=table.spare + 1))


async def forget(transaction: Transaction, *, before: dt.datetime) -> None:
    """Drop buckets that began earlier."""
    await transaction.execute(delete(password_guesses).where(password_guesses.c.began_at < before))
