"""The second half of `pcs evaluate --reviewer`: every answer assessed by the configured model, beside the engine alone.

The trap: an evaluation that is killed after an hour and paid for again; each reply is in a file before the next request
is sent, and the same command goes on from there."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from pcs.base.errors import OperatorError
from pcs.base.plurals import counted
from pcs.base.settings import Settings
from pcs.evaluation.cases import Case
from pcs.evaluation.curve import Pair
from pcs.evaluation.outcome import CaseOutcome
from pcs.reviewer.assessment import Reviewer
from pcs.reviewer.candidates import evidence_of
from pcs.reviewer.configuration import configured_reviewer
from pcs.reviewer.law import Law, LawOf
from pcs.reviewer.model import Ending, Fault, Record, Tokens
from pcs.reviewer.replies import FileReplies
from pcs.schedules.methods import Methods

Hidden = Callable[[Case], frozenset[str]]
"""The references of the rulings that a case is asked about without."""


@dataclass(frozen=True, slots=True)
class AssessedOutcome:
    """A case after its assessment, and what the assessment was; `record` is None where none was wanted."""

    before: CaseOutcome
    after: CaseOutcome
    record: Record | None

    @property
    def pair(self) -> Pair:
        """For the curve of what asking gains."""
        tokens, cost = (self.record.tokens.total, float(self.record.cost)) if self.record else (0, 0.0)
        return Pair(self.before, self.after, tokens, cost, asked=self.record is not None)


def require_reviewer(settings: Settings) -> Reviewer:
    """The reviewer that the settings name. Raises OperatorError where there is none."""
    reviewer = configured_reviewer(settings)
    if reviewer is None:
        msg = "No reviewer is configured: set PCS_REVIEWER_API and PCS_REVIEWER_MODEL (docs/reviewer.md)."
        raise OperatorError(msg)
    return reviewer


def assess_all(
    outcomes: Mapping[str, Sequence[CaseOutcome]], methods: Methods, settings: Settings, replies: Path, hidden: Hidden
) -> dict[str, list[AssessedOutcome]]:
    """Every outcome of every set after its assessment, `hidden` rulings left out of the law. Raises OperatorError where
    the server accepts nothing."""
    return asyncio.run(_assess_all(outcomes, methods, settings, FileReplies(replies), hidden))


async def _assess_all(
    outcomes: Mapping[str, Sequence[CaseOutcome]],
    methods: Methods,
    settings: Settings,
    replies: FileReplies,
    hidden: Hidden,
) -> dict[str, list[AssessedOutcome]]:
    reviewer, law_of = require_reviewer(settings), LawOf(methods.library)
    at_once = asyncio.Semaphore(settings.reviewer_concurrency)

    async def assess(outcome: CaseOutcome, progress: Progress) -> AssessedOutcome:
        async with at_once:
            law = (await asyncio.to_thread(law_of, outcome.case.schedule)).without(hidden(outcome.case))
            found = await _assess(reviewer, outcome, law, methods, replies)
            progress.advance(progress.task_ids[-1])
            return found

    try:
        with _progress() as progress:
            assessed = {}
            for name, found in outcomes.items():
                progress.add_task(f"{name}, assessed", total=len(found))
                assessed[name] = list(await asyncio.gather(*(assess(outcome, progress) for outcome in found)))
            return assessed
    finally:
        await reviewer.model.close()


async def _assess(
    reviewer: Reviewer, outcome: CaseOutcome, law: Law, methods: Methods, replies: FileReplies
) -> AssessedOutcome:
    case, started = outcome.case, time.perf_counter()
    law, headings = await asyncio.to_thread(evidence_of, case.product, law, methods.current(case.schedule))
    found = await reviewer.assess(case.product, outcome.determination, law, headings, replies)
    if found.record and found.record.fault is Fault.NOT_ALLOWED:
        msg = f"{Fault.NOT_ALLOWED.capitalize()}. Check PCS_REVIEWER_API_KEY, PCS_REVIEWER_MODEL and the address."
        raise OperatorError(msg)
    took = outcome.milliseconds + (time.perf_counter() - started) * 1000
    after = dataclasses.replace(outcome, determination=found.determination, milliseconds=took)
    return AssessedOutcome(outcome, after, found.record)


def figures(assessed: Sequence[AssessedOutcome]) -> dict[str, Any]:
    """A set's assessments as JSON values: endings, faults, tokens, cost, codes now correct and now wrong."""
    records = [each.record for each in assessed if each.record]
    tokens = sum((record.tokens for record in records), Tokens())
    return {
        "asked": len(records),
        **{ending.value: sum(record.ending is ending for record in records) for ending in Ending},
        "faults": dict(Counter(record.fault.value for record in records if record.fault)),
        "put_right": sum(each.after.is_exact and not each.before.is_exact for each in assessed),
        "put_wrong": sum(each.before.is_exact and not each.after.is_exact for each in assessed),
        "dropped": dict(sum((Counter(record.dropped) for record in records), Counter())),
        "requests": sum(record.requests for record in records),
        "input_tokens": tokens.input,
        "output_tokens": tokens.output,
        "cost": float(sum((record.cost for record in records), Decimal(0))),
        "currency": records[0].currency if records else "",
    }


def as_markdown(sets: Mapping[str, Mapping[str, Any]], *, model: str) -> str:
    """A table of what the assessments of each set came to."""
    titles = "set,assessed,confirmed,changed,now correct,now wrong,no usable reply,requests,tokens in / out,cost"
    head = f"| {' | '.join(titles.split(','))} |"
    lines = [f"Assessed by {model}:", "", head, "|" + "---|" * 10]
    for name, found in sets.items():
        kept = [found[key] for key in ("asked", "confirmed", "changed", "put_right", "put_wrong", "stood", "requests")]
        spent = f"{found['input_tokens']} / {found['output_tokens']} | {found['cost']:.4f} {found['currency']}"
        lines.append(f"| {name} | {' | '.join(map(str, kept))} | {spent} |")
    left_out = sum(found["leaks_left_out"] for found in sets.values())
    lines.append(f"\nRulings left out because they are nearly a case: {left_out}.")
    faults = sum((Counter(found["faults"]) for found in sets.values()), Counter[str]())
    lines += [f"\nNo usable reply, {counted(count, 'time')}: {fault}." for fault, count in faults.most_common()]
    return "\n".join(lines)


def _progress() -> Progress:
    columns = (SpinnerColumn(), TextColumn("{task.description}"), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True))
