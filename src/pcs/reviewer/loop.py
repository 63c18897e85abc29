"""The assessment as a loop in which a strong model uses our read-only tools. The trap: a loop without an end; at its
last turn the tools are taken away, so that an answer is all that is left."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence

from pcs.engine.product import Product
from pcs.engine.result import Result
from pcs.reviewer import prompts
from pcs.reviewer.answers import AssessmentAnswer, schema_of
from pcs.reviewer.asking import Asking, answer_call, read, repairs
from pcs.reviewer.checks import as_shown, problems
from pcs.reviewer.conversation import Reply, Said, ToolCall, ToolResult, Turn
from pcs.reviewer.first_view import first_view, opened, ruled
from pcs.reviewer.lookups import NAMES, Lookups, tools, use
from pcs.reviewer.model import AssessmentError, Fault
from pcs.reviewer.shown import in_conversation
from pcs.tariff.code import Code

MOST_TURNS = 14
_MOST_CALLS = 8  # tools used in one turn
LONGEST_RESULT = 32_000  # characters of what a tool found; twice the longest look-up of the official schedules


async def run(
    asking: Asking,
    lookups: Lookups,
    product: Product,
    engine: Result,
    candidates: Sequence[Code],
) -> AssessmentAnswer:
    """The verdict, checked. `candidates` are headings, best first. Raises AssessmentError."""
    view = await first_view(asking, lookups, product)
    lookups.codes.update([engine.code, *(other.code for other in engine.alternatives)])
    shown = await asyncio.to_thread(opened, lookups, view.headings, engine.code, candidates)
    shown |= await asyncio.to_thread(ruled, lookups, product, view.goods)
    question = prompts.TOOLS.format(
        product=prompts.product_data(product),
        understanding=view.understood,
        engine=prompts.engine_data(engine, {one["code"] for one in shown["looked_up"]}),
        opened=prompts.data(shown),
        rulings=await asyncio.to_thread(prompts.rulings_too, lookups.law),
        turns=MOST_TURNS,
    )
    return await _discuss(asking, lookups, question)


async def _discuss(asking: Asking, lookups: Lookups, question: str) -> AssessmentAnswer:
    """The checked verdict on a question, after as many look-ups as the model wants. Raises AssessmentError."""
    turns: tuple[Turn, ...] = (Said(question),)
    offered = await asyncio.to_thread(tools, lookups.law)
    schema, repaired, fault = schema_of(AssessmentAnswer), False, Fault.MALFORMED
    for turn in range(MOST_TURNS + 1):
        started = time.perf_counter()
        last = turn >= MOST_TURNS - 1 or repaired
        reply = await asking.send(turns, schema, tools=() if last else offered)
        if reply.calls and answer_call(reply) is None and not last:
            turns = (*turns, reply, *await _used(asking, lookups, reply, started))
            continue
        verdict, faults, fault = read(reply, AssessmentAnswer, lambda found: problems(found, lookups, asking.dropped))
        if verdict is not None:
            asking.note("answer", verdict.sureness.value, started)
            return as_shown(verdict, lookups)
        if repaired:
            break
        turns, repaired = (*turns, reply, *repairs(reply, faults)), True
    raise AssessmentError(fault)


async def _used(asking: Asking, lookups: Lookups, reply: Reply, started: float) -> list[ToolResult]:
    """What the tools found that a reply asks for, in order; past the limit nothing is looked up."""
    results = []
    for place, call in enumerate(reply.calls):
        found = await asyncio.to_thread(_find, lookups, call) if place < _MOST_CALLS else {"error": "Too many at once."}
        results.append(ToolResult(call.id, prompts.data(found, most=LONGEST_RESULT)))
    named = ", ".join(sorted({call.tool for call in reply.calls} & NAMES)) or "no known tool"
    asking.note("use tools", f"{len(reply.calls)} calls: {named}", started)
    return results


def _find(lookups: Lookups, call: ToolCall) -> dict[str, object]:
    try:
        arguments = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        return {"error": "The arguments are not JSON."}
    found = use(lookups, call.tool, arguments)
    return in_conversation(found) if "children" in found else found
