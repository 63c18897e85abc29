"""What the model takes the goods for before it sees the engine's answer, and what is opened of it. The trap: an
assessment that can only agree; the model names headings of its own, and these and the engine's both go on."""

from __future__ import annotations

import time
from collections.abc import Container, Sequence
from dataclasses import dataclass

from pcs.engine.product import Product
from pcs.reviewer import prompts
from pcs.reviewer.answers import MOST_HEADINGS, Understanding
from pcs.reviewer.asking import Asking
from pcs.reviewer.checks import grounded_facts
from pcs.reviewer.lookups import Found, Lookups
from pcs.reviewer.outline import in_short
from pcs.reviewer.shown import in_conversation
from pcs.tariff.code import Code
from pcs.tariff.schedule import Node

_ROOM = 9_000  # characters of look-ups that are opened at once; the model's first and the engine's whatever their size
_LISTED = 5  # further headings that are named
_RULED = 4  # rulings that each wording of the goods finds


@dataclass(frozen=True, slots=True)
class FirstView:
    """What the goods are in the model's words, what was understood as data, and the headings it names."""

    goods: str
    understood: str
    headings: tuple[Node, ...]


async def first_view(asking: Asking, lookups: Lookups, product: Product) -> FirstView:
    """The model's own view of a product. Raises AssessmentError."""
    started = time.perf_counter()
    question = prompts.UNDERSTAND.format(product=prompts.product_data(product))
    found = await asking.ask(question, Understanding)
    facts = grounded_facts(found.facts, product, asking.dropped)
    headings = _known(found.headings, lookups, asking)
    shown = [{"fact": fact.fact.value, "quote": fact.quote} for fact in facts]
    understood = prompts.data({"goods": found.goods, "facts": shown})
    named = ", ".join(str(node.code) for node in headings) or "none"
    asking.note(
        "understand the goods", f"{len(facts)} facts in the product's own words; headings of its own: {named}", started
    )
    return FirstView(found.goods, understood, headings)


def _known(codes: Sequence[str], lookups: Lookups, asking: Asking) -> tuple[Node, ...]:
    """The headings that there are among those named; the others are counted."""
    digits = dict.fromkeys("".join(filter(str.isdigit, code))[:4] for code in codes)
    found = [node for code in digits if len(code) == len("6109") and (node := lookups.law.schedule.get(code))]
    asking.dropped["code"] += len(digits) - len(found)
    lookups.show(found)
    return tuple(found[:MOST_HEADINGS])


def ruled(lookups: Lookups, product: Product, goods: str) -> Found:
    """The rulings that the goods' own words find, as their seller and as the model names them; nothing where none are
    loaded. A model searches for them first of all, and each search is a turn. Blocks."""
    if not lookups.law.has_rulings:
        return {}
    found = [one for words in (product.name, goods) for one in lookups.search_rulings(words, limit=_RULED)["rulings"]]
    return {"rulings_found": list({one["id"]: one for one in found}.values())}


def opened(lookups: Lookups, own: Sequence[Node], engine: Code, candidates: Sequence[Code]) -> Found:
    """The model's first heading and the engine's looked up, then its others as far as there is room; and further ones
    by name. Blocks."""
    schedule = lookups.law.schedule
    answered = [node] if (node := schedule.get(engine.heading)) else []
    first = dict.fromkeys([*own[:1], *answered])
    wanted = list(dict.fromkeys([*first, *own[1:]]))
    likely = [node for code in candidates if (node := schedule.get(code))]
    shown, room = list[Found](), _ROOM
    for node in wanted or likely[:1]:
        if room <= 0 and node not in first:
            break
        shown.append(_looked_up(lookups, node, {one["code"][:2] for one in shown}))
        room -= len(prompts.data(shown[-1]))
    met = {one["code"] for one in shown}
    others = [node for node in dict.fromkeys([*wanted, *likely]) if node.code not in met][:_LISTED]
    lookups.show(others)
    return {"looked_up": shown, "other_headings": [in_short(node) for node in others]}


def _looked_up(lookups: Lookups, node: Node, chapters: Container[str]) -> Found:
    """A heading, looked up; what stands beside it only where no heading of its chapter was shown before."""
    found = in_conversation(lookups.look_up_code(str(node.code)))
    return {name: value for name, value in found.items() if name != "siblings" or found["code"][:2] not in chapters}
