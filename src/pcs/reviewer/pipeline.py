"""The assessment in fixed steps, for small and cheap models: understand, choose headings, go down level by level, weigh
rulings, check. The trap: models find the heading and miss the last digits; so each level is a question of its own, with
the legal text of that level's provisions and no others."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Sequence
from typing import Any

from pcs.engine.product import Product
from pcs.engine.result import Result
from pcs.reviewer import prompts
from pcs.reviewer.answers import AssessmentAnswer, Bearing, Choice, Headings, WeighedRuling, Weights
from pcs.reviewer.asking import Asking
from pcs.reviewer.checks import as_shown, line_of, problems, shown_notes
from pcs.reviewer.first_view import FirstView, first_view
from pcs.reviewer.lookups import Lookups
from pcs.reviewer.shown import note_shown
from pcs.tariff.code import Code
from pcs.tariff.ruling import Ruling, RulingStatus
from pcs.tariff.schedule import Node

_WALKED = 2  # headings that are gone down, at once
_SEARCHED = 4  # headings that a search of the goods in the model's words adds
_MOST_RULINGS = 6
_ROOM = 1_500  # characters of notes that bind whole chapters; this model has a step of its own for each question
_BRIEF = 1_024  # tokens: choosing a number takes few


class Pipeline:
    """One assessment in fixed steps."""

    def __init__(self, asking: Asking, lookups: Lookups, product: Product, engine: Result) -> None:
        self._asking, self._lookups, self._product, self._engine = asking, lookups, product, engine
        self._goods = prompts.product_data(product)
        self._understood = ""

    async def run(self, candidates: Sequence[Code]) -> AssessmentAnswer:
        """The verdict, checked. `candidates` are headings, best first. Raises AssessmentError."""
        view = await first_view(self._asking, self._lookups, self._product)
        self._understood = view.understood
        headings = await self._choose(await self._look_for(candidates, view))
        lines = await _together([self._walk(heading) for heading in headings])
        weighed = await self._weigh(lines)
        return await self._check(lines, weighed)

    async def _look_for(self, candidates: Sequence[Code], view: FirstView) -> list[Node]:
        """The engine's headings, the model's own, and those that a search for the goods in its words finds."""
        law = self._lookups.law
        hits = await asyncio.to_thread(law.headings_for, view.goods)
        own = [str(node.code) for node in view.headings]
        found = [
            node for code in dict.fromkeys([*candidates, *own, *hits[:_SEARCHED]]) if (node := law.schedule.get(code))
        ]
        self._lookups.show(found)
        return found

    async def _choose(self, headings: Sequence[Node]) -> list[Node]:
        started = time.perf_counter()
        law = self._lookups.law
        shown = self._notes(headings, room=_ROOM)
        listed = prompts.data({"headings": [prompts.provision(law, node) for node in headings], "notes": shown})
        question = prompts.HEADINGS.format(product=self._goods, understanding=self._understood, headings=listed)
        answer = await self._asking.ask(question, Headings)
        shown_notes(answer.notes, self._lookups, self._asking.dropped)
        known = {str(node.code): node for node in headings}
        chosen = [known[code] for code in dict.fromkeys(map(_digits, answer.headings)) if code in known]
        self._asking.dropped["code"] += len(set(answer.headings)) - len(chosen)
        kept = chosen[:_WALKED] or list(headings[:1])
        named = ", ".join(str(node.code) for node in kept)
        self._asking.note("choose the headings", f"{named} of {len(headings)} shown", started)
        return kept

    async def _walk(self, heading: Node) -> Node:
        """Down from a heading to a declarable line, one level of siblings at a time."""
        started, asked, node = time.perf_counter(), 0, heading
        schedule = self._lookups.law.schedule
        self._lookups.open(node)
        while children := schedule.children(node):
            self._lookups.show(children)
            asked += len(children) > 1
            node = children[0] if len(children) == 1 else await self._step(node, children)
        self._asking.note("compare subdivisions", f"{heading.code} to {node.code}, {asked} levels asked", started)
        return node

    async def _step(self, node: Node, children: Sequence[Node]) -> Node:
        law = self._lookups.law
        notes = self._notes([node], room=0)
        question = prompts.LEVEL.format(
            product=self._goods,
            understanding=self._understood,
            path=prompts.data(prompts.provision(law, node)),
            level=prompts.data({"provisions": prompts.numbered(children), "notes": notes}),
        )

        def is_listed(choice: Choice) -> list[str]:
            return [] if choice.number <= len(children) else [f"There are only {len(children)} provisions."]

        answer = await self._asking.ask(question, Choice, check=is_listed, most_tokens=_BRIEF)
        shown_notes(answer.notes, self._lookups, self._asking.dropped)
        return children[answer.number - 1]

    def _notes(self, nodes: Sequence[Node], *, room: int | None = None) -> list[dict[str, str]]:
        """The notes that decide among the lines below some nodes, whole, remembered as shown."""
        notes = self._lookups.law.deciding(*nodes, room=room).shown
        self._lookups.show_notes(notes)
        return [note_shown(note) for note in notes]

    async def _weigh(self, lines: Sequence[Node]) -> list[WeighedRuling]:
        """What the nearest rulings say; nothing is asked where there are none."""
        started = time.perf_counter()
        rulings = await asyncio.to_thread(self._nearest, lines)
        if not rulings:
            return []
        self._lookups.show_rulings(rulings)
        shown = prompts.data([prompts.ruling_data(ruling) for ruling in rulings])
        answer = await self._asking.ask(prompts.RULINGS.format(product=self._goods, rulings=shown), Weights)
        known = {ruling.reference for ruling in rulings}
        weighed = [each for each in answer.rulings if each.reference in known]
        self._asking.dropped["ruling"] += len(answer.rulings) - len(weighed)
        alike = sum(each.bearing is not Bearing.OTHER for each in weighed)
        self._asking.note("compare rulings", f"{alike} of {len(rulings)} on like goods", started)
        return weighed

    def _nearest(self, lines: Sequence[Node]) -> list[Ruling]:
        law = self._lookups.law
        cited = [law.rulings.get(ruling.reference) for ruling in self._engine.rulings]
        found = [ruling for ruling in cited if ruling is not None and ruling.status is not RulingStatus.REVOKED]
        for line in lines:
            for code in dict.fromkeys([Code(str(line.code)).subheading, Code(str(line.code)).heading]):
                found += law.rulings_on(self._product.name, code=code, limit=2)
        known = {ruling.reference: ruling for ruling in found}
        texts = [law.rulings.get(reference) for reference in list(known)[:_MOST_RULINGS]]
        return [ruling for ruling in texts if ruling is not None]

    async def _check(self, lines: Sequence[Node], weighed: Sequence[WeighedRuling]) -> AssessmentAnswer:
        started = time.perf_counter()
        law = self._lookups.law
        engine = line_of(self._lookups, self._engine.code)
        considered = list(dict.fromkeys(node for node in [*lines, engine] if node is not None))
        for node in considered:
            self._lookups.open(node)
        notes = self._notes(considered, room=_ROOM)
        shown = {"lines": [prompts.provision(law, node) for node in considered], "notes": notes}
        question = prompts.CHECK.format(
            product=self._goods,
            understanding=self._understood,
            engine=prompts.engine_data(self._engine),
            lines=prompts.data(shown),
            rulings=prompts.data([each.model_dump(mode="json") for each in weighed]),
        )
        self._lookups.codes.update(other.code for other in self._engine.alternatives)
        verdict = await self._asking.ask(
            question, AssessmentAnswer, check=lambda found: problems(found, self._lookups, self._asking.dropped)
        )
        self._asking.note("check exclusions", verdict.sureness.value, started)
        return as_shown(verdict, self._lookups)


async def _together(walks: Sequence[Coroutine[Any, Any, Node]]) -> list[Node]:
    """What each comes to, all at once; where one fails the others are ended, and nothing more is paid for."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(walk) for walk in walks]
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None
    return [task.result() for task in tasks]


def _digits(code: str) -> str:
    return "".join(character for character in code if character.isdigit())
