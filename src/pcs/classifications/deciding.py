"""What decides goods without a person, and what of it is kept: the engine, an earlier decision, a model's word.

The trap: an answer that wants review taken as if it did not; nothing is taken that a person should look at."""

from __future__ import annotations

import datetime as dt

from pcs.classifications.model import Classification, DecidedBy, Final, Outcome
from pcs.decisions.model import DecisionSource, NewDecision
from pcs.engine.result import Result
from pcs.reviewer.model import Ending


def taken(outcome: Outcome, *, now: dt.datetime) -> Final | None:
    """What an analysis decides by itself; None where a person should look."""
    result = outcome.result
    if result is None or not result.may_be_taken:
        return None
    if result.decision is not None:
        return _repeated(result, result.decision, now=now)
    assessed = outcome.reviewer is not None and outcome.reviewer["ending"] != Ending.STOOD
    return Final(
        code=result.code,
        description=result.description,
        revision=result.schedule_revision,
        decided_by=DecidedBy.REVIEWER if assessed else DecidedBy.ENGINE,
        decided_at=now,
        decided_by_name=outcome.reviewer["model"] if assessed and outcome.reviewer else None,
    )


def assessed_by_model(outcome: Outcome, *, now: dt.datetime) -> Final | None:
    """What a language model confirmed or changed, whether a person is to look at it or not; None without either.

    None too where it saw pictures: decisions know goods by words, which may come with other pictures.
    """
    result, record = outcome.result, outcome.reviewer
    if result is None or record is None or record["ending"] not in {Ending.CONFIRMED, Ending.CHANGED}:
        return None
    if record["pictures"]:
        return None
    return Final(
        code=result.code,
        description=result.description,
        revision=result.schedule_revision,
        decided_by=DecidedBy.REVIEWER,
        decided_at=now,
        decided_by_name=record["model"],
    )


def decision_on(of: Classification, final: Final, source: DecisionSource) -> NewDecision:
    """What was decided, kept for the goods of a classification."""
    return NewDecision(
        goods=of.goods,
        schedule=of.schedule,
        code=final.code,
        words=final.description,
        revision=final.revision,
        source=source,
        by=final.decided_by_name or "",
        classification_id=of.id,
    )


def _repeated(result: Result, decision: str, *, now: dt.datetime) -> Final:
    """What an earlier decision on the same goods decides."""
    return Final(
        code=result.code,
        description=result.description,
        revision=result.schedule_revision,
        decided_by=DecidedBy.PRECEDENT,
        decided_at=now,
        reason=f"The same goods were decided before ({decision}).",
    )
