"""The deep way: two opinions that do not see each other; where they differ, a critique looks again and chooses.

The trap: a second opinion that is the first once more. It is asked in other words, for what else the goods may be, and
is not shown the engine's answer. And what a product's text asked for, handed on: of an opinion the critique sees codes,
references and words of closed lists alone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pcs.engine.product import Product
from pcs.engine.result import Result
from pcs.reviewer import loop, prompts
from pcs.reviewer.answers import AssessmentAnswer, Sureness
from pcs.reviewer.asking import Asking
from pcs.reviewer.checks import line_of, supporting
from pcs.reviewer.first_view import opened
from pcs.reviewer.law import Law
from pcs.reviewer.lookups import Lookups
from pcs.reviewer.model import AssessmentError, Fault
from pcs.reviewer.shown import note_shown
from pcs.tariff.code import Code
from pcs.tariff.schedule import Node

_ENDS_ALL = {Fault.NOT_ALLOWED, Fault.BUDGET_SPENT, Fault.TOO_MANY_TOKENS}
_LISTS = ("rulings", "notes", "facts", "missing", "contradicted")
_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class _Opinion:
    """A checked verdict and the line that it chose."""

    verdict: AssessmentAnswer
    line: Node


async def run(
    asking: Asking, law: Law, product: Product, engine: Result, candidates: Sequence[Code]
) -> AssessmentAnswer:
    """The verdict, checked. `candidates` are headings, best first.

    One opinion alone is taken, as a doubtful one. Raises AssessmentError where there is none, and where two differ and
    the critique comes to nothing.
    """
    opinions, fault = list[_Opinion](), Fault.MALFORMED
    for name, shown, ahead in (("first", engine, ""), ("second", None, prompts.SECOND)):
        asking.who, started, lookups = f"{name} opinion: ", time.perf_counter(), Lookups(law)
        try:
            verdict = await loop.run(asking, lookups, product, shown, candidates, ahead=ahead)
        except AssessmentError as error:
            fault = error.fault
            asking.note("none", str(fault), started)
            if fault in _ENDS_ALL:
                break
        else:
            line = line_of(lookups, verdict.code)
            assert line is not None
            opinions.append(_Opinion(verdict, line))
    asking.who = ""
    if not opinions:
        raise AssessmentError(fault)
    if len(opinions) == 1:
        return opinions[0].verdict.model_copy(update={"sureness": Sureness.DOUBTFUL})
    first, second = opinions
    same, started = first.line.index == second.line.index, time.perf_counter()
    asking.note("compare the opinions", "the same line" if same else f"{first.line.code}, {second.line.code}", started)
    if same:
        return _as_one(first.verdict, second.verdict)
    return await _criticised(asking, Lookups(law), product, engine, opinions)


async def _criticised(
    asking: Asking, lookups: Lookups, product: Product, engine: Result, opinions: Sequence[_Opinion]
) -> AssessmentAnswer:
    """What a reader chooses who is shown both lines with what they rely on, and may look up anything."""
    asking.who = "critique: "
    question = await asyncio.to_thread(_question, lookups, product, engine, opinions)
    return await loop.discuss(asking, lookups, question)


def _question(lookups: Lookups, product: Product, engine: Result, opinions: Sequence[_Opinion]) -> str:
    """What the critique is asked. Blocks."""
    lines = [one.line for one in opinions]
    lookups.show(lines)
    lookups.codes.update([engine.code, *(other.code for other in engine.alternatives)])
    first, second = (Code(str(line.code)) for line in lines)
    heading = lookups.law.schedule.get(first.heading)
    shown = opened(lookups, [heading] if heading else [], second, ())
    return prompts.CRITIQUE.format(
        product=prompts.product_data(product),
        opinions=prompts.data([_said(one, lookups) for one in opinions]),
        grounds=prompts.data(_grounds(opinions, lookups)),
        engine=loop.engine_said(engine, shown),
        opened=prompts.data(shown["looked_up"]),
        turns=loop.MOST_TURNS,
    )


def _said(one: _Opinion, lookups: Lookups) -> dict[str, Any]:
    """An opinion: its line as the tariff has it, and what it relies on; nothing of it is in the model's own words."""
    given = one.verdict.model_dump(mode="json", exclude={"code"}, exclude_defaults=True)
    rulings = [ruling.reference for ruling in supporting(one.verdict, lookups)]
    return {**prompts.provision(lookups.law, one.line), **given, "rulings": rulings}


def _grounds(opinions: Sequence[_Opinion], lookups: Lookups) -> dict[str, Any]:
    """The notes that the opinions rely on and no look-up has told, and the rulings that they cite, as shown."""
    law, wanted = lookups.law, _each(note for one in opinions for note in one.verdict.notes)
    notes = [note for reference in wanted if (note := law.note(reference)) and note.reference not in lookups.told]
    rulings = [ruling for one in opinions for ruling in supporting(one.verdict, lookups)]
    lookups.show_notes(notes)
    lookups.show_rulings(rulings)
    cited = {ruling.reference: prompts.ruling_data(ruling) for ruling in rulings}
    return {"notes": [note_shown(note) for note in notes], "rulings": list(cited.values())}


def _as_one(first: AssessmentAnswer, second: AssessmentAnswer) -> AssessmentAnswer:
    """Two verdicts on one line: what either relies on, what either misses and the doubt of either."""
    known = [verdict.known_digits for verdict in (first, second) if verdict.known_digits is not None]
    parts = {verdict.parts_rule for verdict in (first, second) if verdict.parts_rule is not None}
    both = {
        "sureness": Sureness.DOUBTFUL if Sureness.DOUBTFUL in {first.sureness, second.sureness} else Sureness.SURE,
        "parts_rule": parts.pop() if len(parts) == 1 else None,
        "known_digits": min(known, default=None),
        **{name: _each([*getattr(first, name), *getattr(second, name)]) for name in _LISTS},
    }
    return first.model_copy(update=both)


def _each(items: Iterable[_Item]) -> list[_Item]:
    """Each once, in order."""
    return list(dict.fromkeys(items))
