"""The SQL of claims: classifications begun and ended, as many as a worker has in hand, in one statement each.

The trap: a worker that was given up as dead and ends what somebody else has begun anew; each claim has a number, and
only the latest ends its row."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text

from pcs.base.database import Prepared, Transaction, by_column, unnested
from pcs.base.queue import taken, taking
from pcs.base.tasks import Task
from pcs.classifications.documents import comparison_document, document_of, steps_document
from pcs.classifications.model import OPEN, Claim, Classification, Final, Outcome, Status
from pcs.classifications.rows import classification_of, final_values
from pcs.classifications.store import classifications

_ROW = ", ".join(f"c.{column.name}" for column in classifications.c)  # a `*` prepared here would break in an upgrade
_BEGUN = f"""SET status = '{Status.PROCESSING}', attempt = c.attempt + 1,
                 started_at = coalesce(c.started_at, greatest(c.created_at, CAST(:now AS timestamptz)))"""
_CLAIM = Prepared(
    text(f"""
    UPDATE classifications c {_BEGUN}
     WHERE c.id = :id AND c.status IN ({", ".join(f"'{one}'" for one in OPEN)}) RETURNING {_ROW}
    """)
)
_UNTOUCHED = f"c.status = '{Status.PENDING}' AND c.attempt = 0"
_CLAIM_MORE = Prepared(
    text(f"""
    {taking(f"SELECT 1 FROM classifications c WHERE c.id = waiting.subject AND {_UNTOUCHED}")},
    claimed AS (
        UPDATE classifications c {_BEGUN}
          FROM taken WHERE c.id = taken.subject AND {_UNTOUCHED} RETURNING taken.id AS job, {_ROW})
    SELECT taken.id AS taken, claimed.* FROM taken LEFT JOIN claimed ON claimed.job = taken.id
     ORDER BY taken.place
    """)  # noqa: S608 (our own constants)
)
_GIVE_BACK = Prepared(
    text(f"""
    UPDATE classifications c SET status = '{Status.PENDING}', attempt = c.attempt - 1
      FROM {unnested(classifications, ("id", "attempt"))} AS claim (id, attempt)
     WHERE c.id = claim.id AND c.status = '{Status.PROCESSING}' AND c.attempt = claim.attempt
    """)  # noqa: S608 (our own constants)
)
_ENDED = (
    *("status", "processing_time_ms", "result", "steps", "reviewer", "filed", "asked_by_chance", "variant_key"),
    *("error_code", "error_message", *final_values(None)),
)
_WITH_CLAIM = ("id", "attempt", *_ENDED)
_FINISH = Prepared(
    text(f"""
    UPDATE classifications c SET {", ".join(f"{name} = ended.{name}" for name in _ENDED)},
           completed_at = greatest(c.created_at, CAST(:now AS timestamptz))
      FROM {unnested(classifications, _WITH_CLAIM)} AS ended ({", ".join(_WITH_CLAIM)})
     WHERE c.id = ended.id AND c.status = '{Status.PROCESSING}' AND c.attempt = ended.attempt RETURNING c.id
    """)  # noqa: S608 (our own constants)
)


async def claim(transaction: Transaction, classification_id: str, *, now: dt.datetime) -> Claim | None:
    """Take an unfinished classification over from whoever had it; None where it is finished or unknown."""
    row = await _CLAIM.row(transaction, id=classification_id, now=now)
    return None if row is None else Claim(classification_of(row), row["attempt"], row["job_id"])


async def claim_more(
    transaction: Transaction, task: Task, *, beside: int, most: int, now: dt.datetime
) -> tuple[list[Claim], list[int]]:
    """Take what waits next and nobody has begun, beside a job and as if it were its own, in the queue's order.

    Answers the claims, and the jobs that were about nothing any more.
    """
    rows = await _CLAIM_MORE.rows(transaction, **taken(task, beside=beside, most=most), now=now)
    claims = [
        Claim(classification_of(row), row["attempt"], row["job"], taken=True) for row in rows if row["job"] is not None
    ]
    return claims, [row["taken"] for row in rows if row["job"] is None]


async def give_back(transaction: Transaction, claims: Sequence[Claim]) -> None:
    """Undo claims, unless somebody claimed anew meanwhile."""
    ids, attempts = [one.classification.id for one in claims], [one.attempt for one in claims]
    await _GIVE_BACK.run(transaction, id=ids, attempt=attempts)


@dataclass(frozen=True, slots=True)
class End:
    """How a claim ended, what that decides, and the group of variants that the goods join."""

    claim: Claim
    outcome: Outcome
    final: Final | None
    variants: bytes | None

    @property
    def classification(self) -> Classification:
        """The classification as it is from then on."""
        outcome = self.outcome
        return dataclasses.replace(
            self.claim.classification, final=self.final, result=outcome.result, failure=outcome.failure
        )


async def finish(transaction: Transaction, ends: Sequence[End], *, now: dt.datetime) -> set[str]:
    """Store how classifications ended; the ids of those that were stored: all but what somebody claimed meanwhile."""
    rows = [_row(one) for one in ends]
    return {row["id"] for row in await _FINISH.rows(transaction, **by_column(rows, _WITH_CLAIM), now=now)}


def _row(one: End) -> dict[str, Any]:
    outcome, failure = one.outcome, one.outcome.failure
    return {
        "id": one.claim.classification.id,
        "attempt": one.claim.attempt,
        "status": Status.FAILED if failure else Status.COMPLETED,
        "processing_time_ms": outcome.processing_time_ms,
        "result": None if outcome.result is None else json.dumps(document_of(outcome.result)),
        "steps": None if outcome.steps is None else json.dumps(steps_document(outcome.steps)),
        "reviewer": None if outcome.reviewer is None else json.dumps(outcome.reviewer),
        "filed": None if outcome.filed is None else json.dumps(comparison_document(outcome.filed)),
        "asked_by_chance": outcome.asked_by_chance,
        "variant_key": one.variants,
        "error_code": failure.code if failure else None,
        "error_message": failure.message if failure else None,
        **final_values(one.final),
    }
